// The driver of a search, with a shell script in the place of the fuzzer.
#include "src/search/fuzz_command.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "fuzz/case_file.h"
#include "src/problem/case_text.h"
#include "src/search/fuzz_process.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string plugin(const std::string& name) {
  return ASSAY_BINARY_DIR "/test_plugins/harness/" + name + ".so";
}

class FuzzCommand : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("fuzz_command_" + std::string(info->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    setenv("ASSAY_WORKER", ASSAY_BINARY_DIR "/assay-worker", 1);
  }
  void TearDown() override {
    unsetenv("ASSAY_FUZZER");
    fs::remove_all(folder_);
  }

  // Makes `lines` of shell the fuzzer; `report` is where they write to.
  void use_fuzzer(const std::string& lines) const {
    const fs::path path = folder_ / "fuzzer";
    std::ofstream(path) << "#!/bin/sh\n" << lines;
    fs::permissions(path, fs::perms::owner_all);
    setenv("ASSAY_FUZZER", path.c_str(), 1);
  }
  static Result<FuzzResult> fuzz(const std::string& kernel, FuzzOptions options = {}) {
    options.seconds = 2;
    const OpenSession open = [kernel](double deadline_seconds) {
      return open_worker_session(kernel, {.deadline_seconds = deadline_seconds, .worker_path = ""});
    };
    return fuzz_kernel(kernel, open, options);
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

constexpr const char* kTwoFailures =
    "echo 'run pass=fwd k=9 n=9 rows=3,0,4' >&3\n"
    "echo 'failure Failed exact_integers_match_bitwise pass=fwd k=9 n=9 rows=3,0,4 seed=5' >&3\n"
    "echo 'failure Failed exact_integers_match_bitwise pass=fwd k=7 n=9 rows=1,8,4' >&3\n"
    "echo 'state 1234 56' >&3\n"
    "sleep 3\n";

TEST_F(FuzzCommand, FindingsAreShrunkAndCountedOnce) {
  use_fuzzer(kTwoFailures);
  const auto result = fuzz(plugin("skips_last"));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->state.runs, 1234);
  EXPECT_EQ(result->state.features, 56);
  ASSERT_EQ(result->findings.size(), 1u);
  const FuzzFinding& found = result->findings.front();
  EXPECT_TRUE(found.confirmed);
  EXPECT_EQ(found.seen, 2);
  EXPECT_LE(multiply_adds(found.finding.shrunk), 4) << short_text(found.finding.shrunk);
}

TEST_F(FuzzCommand, WhatPassesInAWorkerIsUnconfirmed) {
  use_fuzzer(kTwoFailures);
  const auto result = fuzz(plugin("naive"));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  ASSERT_EQ(result->findings.size(), 1u);
  EXPECT_FALSE(result->findings.front().confirmed);
  EXPECT_EQ(result->findings.front().seen, 2);
}

TEST_F(FuzzCommand, ACrashRestartsTheSearch) {
  use_fuzzer(
      "echo 'run pass=fwd k=9 n=9 rows=3' >&3\n"
      "sleep 0.3\n"
      "echo 'case: pass=fwd k=8 n=8 rows=2' >&2\n"
      "echo \"replay: ./run assay run 'pass=fwd k=8 n=8 rows=2' --kernel x --check one_expert\" "
      ">&2\n"
      "kill -SEGV $$\n");
  FuzzOptions options;
  options.max_findings = 1;
  const auto result = fuzz(plugin("segfaults"), options);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_GE(result->state.restarts, 2);
  ASSERT_EQ(result->findings.size(), 1u);
  const Finding& finding = result->findings.front().finding;
  EXPECT_EQ(finding.verdict.kind, VerdictKind::kCrashed);
  EXPECT_EQ(finding.check->name, "one_expert");
}

TEST_F(FuzzCommand, AKernelThatDoesNotOpenIsRefused) {
  use_fuzzer("echo \"ASSAY_FUZZ_KERNEL='x.so': cannot be loaded\" >&2\nexit 2\n");
  const auto result = fuzz("./x.so");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "cannot be loaded");
}

TEST_F(FuzzCommand, AFuzzerThatEndsAtOnceIsRefused) {
  use_fuzzer("exit 77\n");
  const auto result = fuzz("cpu");
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("exit code 77 before its first case"), std::string::npos)
      << result.error().message;
}

TEST_F(FuzzCommand, NoFuzzerSaysHowToBuildOne) {
  setenv("ASSAY_FUZZER", "/nowhere/assay-fuzz", 1);
  const auto named = find_fuzzer();
  ASSERT_FALSE(named.has_value());
  EXPECT_EQ(named.error().message, "ASSAY_FUZZER='/nowhere/assay-fuzz' cannot be executed");
}

TEST_F(FuzzCommand, RegressionsParseBackAndAreKeptOnce) {
  use_fuzzer(kTwoFailures);
  const std::string kernel = plugin("skips_last");
  const auto result = fuzz(kernel);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  ASSERT_EQ(result->findings.size(), 1u);
  const auto path = save_regression(folder().string(), kernel, result->findings.front());
  ASSERT_TRUE(path.has_value()) << path.error().message;
  const std::string name = fs::path(*path).filename().string();
  EXPECT_TRUE(name.starts_with("unwritten_")) << name;
  EXPECT_TRUE(name.ends_with("skips_last.case")) << name;
  std::ostringstream text;
  text << std::ifstream(*path).rdbuf();
  const auto spec = parse_case_file(text.str());
  ASSERT_TRUE(spec.has_value()) << text.str();
  EXPECT_EQ(*spec, result->findings.front().finding.shrunk);
  EXPECT_EQ(save_regression(folder().string(), kernel, result->findings.front()).value(), *path);
}

}  // namespace
}  // namespace assay
