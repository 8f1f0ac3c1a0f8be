// Runs the assay command as a user does and keeps what it said.
#pragma once

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <gtest/gtest.h>

#include "src/core/text.h"

namespace assay::testing {

struct Said {
  int exit = -1;
  std::string out, err;

  bool one_line_of_error() const { return !err.empty() && err.find('\n') == err.size() - 1; }
};

inline std::string slurp(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline Said assay(const std::vector<std::string>& words, const std::string& environment = "") {
  // A test of a parameter has a slash in its name.
  std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ranges::replace(test, '/', '_');
  const std::string base = ::testing::TempDir() + "/assay_cli_" + test;
  std::string command = environment + " " + shell_word(std::string(ASSAY_BINARY_DIR) + "/assay");
  for (const std::string& word : words) { command += " " + shell_word(word); }
  command += " >" + shell_word(base + ".out") + " 2>" + shell_word(base + ".err") + " </dev/null";
  const int status = std::system(command.c_str());
  Said said{.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .out = slurp(base + ".out"),
            .err = slurp(base + ".err")};
  std::filesystem::remove(base + ".out");
  std::filesystem::remove(base + ".err");
  return said;
}

}  // namespace assay::testing
