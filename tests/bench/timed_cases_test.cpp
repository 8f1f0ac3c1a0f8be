// The Python script beside torch draws its order and its statistics as the GPU bench does.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/bench/alternation.h"
#include "src/bench/bench_case.h"
#include "src/bench/sample_statistics.h"

namespace assay {
namespace {

using testing::HasSubstr;

const std::string kFolder = std::string(ASSAY_SOURCE_DIR) + "/src/bench";

struct Said {
  int exit = 0;
  std::string text;
};
Said shell(const std::string& command) {
  Said said;
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) {
    said.text += part.data();
  }
  said.exit = WEXITSTATUS(::pclose(pipe));
  return said;
}

std::string python(const std::string& expression) {
  const Said said = shell(fmt::format(
      "cd '{}' && python3 -B -c 'import timed_cases as t; print({})'", kFolder, expression));
  EXPECT_EQ(said.exit, 0) << said.text;
  return said.text.substr(0, said.text.find('\n'));
}

TEST(TimedCases, OrderAndStatisticsAreThoseOfTheBench) {
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(python(fmt::format("t.alternating_order(3, {})", round)),
              fmt::format("{}", alternating_order(3, round)));
  }
  EXPECT_EQ(python("t.spread([1, 2, 3, 4, 5, 9])"), fmt::format("{}", spread({1, 2, 3, 4, 5, 9})));
  EXPECT_EQ(python("t.median_ratio([2, 2, 6], [1, 2, 2])"), "2.0");
  EXPECT_EQ(median_ratio({2, 2, 6}, {1, 2, 2}), 2);
}

TEST(TimedCases, ReadTheListOfTheCorpusAndRecordings) {
  const auto cases = read_bench_cases(std::string(ASSAY_SOURCE_DIR) + "/corpus/bench/cases.csv");
  ASSERT_TRUE(cases) << cases.error().message;
  std::vector<Index> totals;
  for (const BenchCase& c : *cases) { totals.push_back(c.total()); }
  EXPECT_EQ(python("[c.rows for c in t.read_cases(\"../../corpus/bench/cases.csv\", [])]"),
            fmt::format("{}", totals));
  EXPECT_EQ(python("t.read_recording(\"../../corpus/routing/moe64_top2_noaux.csv:396:3\", 8, 8)"
                   ".rows"),
            "16384");
}

TEST(TimedCases, BadWordsAreOneLineAndExitTwo) {
  const Said said = shell(
      fmt::format("python3 -B '{}/torch_grouped_mm.py' --kernel ./k.so --case skew", kFolder));
  EXPECT_EQ(said.exit, 2);
  EXPECT_THAT(said.text, HasSubstr("'skew' is none of seed-balanced"));
  EXPECT_EQ(std::count(said.text.begin(), said.text.end(), '\n'), 1);
}

}  // namespace
}  // namespace assay
