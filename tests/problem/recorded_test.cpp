#include "src/problem/recorded.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string refused(const std::string& text) {
  const Result<std::vector<RecordedStep>> steps = parse_recording(text, "mine.csv");
  EXPECT_FALSE(steps.has_value()) << text;
  return steps ? "" : steps.error().message;
}

struct Recording {
  const char* file;
  std::size_t experts;
  Index assignments;
};

TEST(Recorded, TheCorpusHoldsFourHundredLinesOfEveryModel) {
  for (const Recording& known :
       {Recording{"moe64_top2_noaux", 64, 16384}, Recording{"moe64_top2_aux1e-2.csv", 64, 16384},
        Recording{"moe128_top8_aux1e-3", 128, 65536}}) {
    const Result<std::vector<RecordedStep>> steps = read_recording(known.file);
    ASSERT_TRUE(steps.has_value()) << steps.error().message;
    EXPECT_EQ(steps->size(), 400u);
    for (const RecordedStep& step : *steps) {
      EXPECT_EQ(step.rows.size(), known.experts);
      EXPECT_EQ(std::accumulate(step.rows.begin(), step.rows.end(), Index{0}), known.assignments);
    }
    EXPECT_EQ(steps->back().step, 396);
    EXPECT_EQ(steps->back().layer, 3);
  }
}

TEST(Recorded, ReadsCommentsBlankLinesAndCarriageReturns) {
  const auto steps =
      parse_recording("# comment\r\n\r\nstep,layer,e0,e1\r\n# more\r\n8, 1, 3,0\r\n", "mine.csv");
  ASSERT_TRUE(steps.has_value()) << steps.error().message;
  ASSERT_EQ(steps->size(), 1u);
  EXPECT_EQ((*steps)[0].step, 8);
  EXPECT_EQ((*steps)[0].layer, 1);
  EXPECT_THAT((*steps)[0].rows, ElementsAre(3, 0));
}

TEST(Recorded, ReadsWhatSpreadsheetsAndOtherProgramsWrite) {
  const auto rows_of = [](const std::string& text) {
    const auto steps = parse_recording(text, "mine.csv");
    EXPECT_TRUE(steps) << text << (steps ? "" : steps.error().message);
    return steps ? steps->back() : RecordedStep{};
  };
  const std::vector<std::string> same = {
      "\xef\xbb\xbfstep,layer,e0,e1\r\n4,1,3,0\r\n",
      "step,layer,e0,e1,\n4,1,3,0,\n",
      "\"step\",\"layer\",\"e0\",\"e1\"\n\"4\",\"1\",\"3\",\"0\"\n",
      "Iteration,layer_idx,expert_0,expert_1\n4,1,3,0\n",
      "layer,global_step,Expert 1,Expert 2\n1,4,3,0\n",
      "0,1,step,layer\n3,0,4,1\n"};
  for (const std::string& text : same) {
    const RecordedStep step = rows_of(text);
    EXPECT_EQ(step.step, 4) << text;
    EXPECT_EQ(step.layer, 1) << text;
    EXPECT_THAT(step.rows, ElementsAre(3, 0)) << text;
  }
  EXPECT_EQ(rows_of("e0,e1\n1,2\n3,0\n").step, 1) << "lines are steps where nothing says so";
  EXPECT_EQ(rows_of("layer,e0,e1\n0,1,2\n1,3,0\n").layer, 1);
}

TEST(Recorded, ErrorsNameFileLineAndColumn) {
  const std::string header = "# c\nstep,layer,e0,e1\n";
  EXPECT_THAT(refused(header + "0,0,1,2\n4,0,1,x\n"),
              StartsWith("mine.csv:4:7: expected a token count of e1"));
  EXPECT_THAT(refused(header + "0,0,1,2\n4,0,1,x\n"), HasSubstr("got 'x'"));
  EXPECT_THAT(refused(header + "0,0,-1,2\n"),
              StartsWith("mine.csv:3:5: expected a token count of e0"));
  EXPECT_THAT(refused(header + "a,0,1,2\n"), StartsWith("mine.csv:3:1: expected a step"));
  EXPECT_THAT(refused(header + "0,,1,2\n"), StartsWith("mine.csv:3:3: expected a layer"));
  EXPECT_THAT(refused(header + "0,0,1\n"), StartsWith("mine.csv:3:6: expected 4 values"));
  EXPECT_THAT(refused(header + "0,0,1,2,3\n"), StartsWith("mine.csv:3:9: expected 4 values"));
  EXPECT_THAT(refused(header + "0,0,1,2\n0,0,3,4\n"),
              StartsWith("mine.csv:4:1: step 0 layer 0 was given in line 3 already"));
  EXPECT_THAT(refused(header + "0,0,1099511627776,1\n"),
              StartsWith("mine.csv:3:19: the counts add up to more than"));
  EXPECT_THAT(refused("step,layer,e0,e2\n"),
              StartsWith("mine.csv:1:15: expected the column name 'e1'"));
  EXPECT_THAT(refused("tokens\n"),
              StartsWith("mine.csv:1:1: 'tokens' names no step, layer or expert"));
  EXPECT_THAT(refused("step,iteration,e0\n"),
              StartsWith("mine.csv:1:6: a second column for the step: 'iteration'"));
  EXPECT_THAT(refused("step,layer,e0,expert_1\n"),
              StartsWith("mine.csv:1:15: expected the column name 'e1'"));
  EXPECT_THAT(refused("e0\n\"1\n"), StartsWith("mine.csv:2:1: expected a token count of e0"));

  EXPECT_THAT(refused("step,layer\n"), StartsWith("mine.csv:1:11: expected at least one expert"));
  EXPECT_THAT(refused(""), StartsWith("mine.csv:1:1: expected the header"));
  EXPECT_THAT(refused(header), StartsWith("mine.csv:3:1: expected a line of counts"));
}

TEST(Recorded, FilesThatCannotBeReadAreNamed) {
  EXPECT_THAT(read_recording("no/such.csv").error().message,
              HasSubstr("'no/such.csv' is not a file"));
  EXPECT_THAT(read_recording("/dev/zero").error().message, HasSubstr("'/dev/zero' is not a file"));
  EXPECT_THAT(recorded_rows("moe64_top2_noaux", 0, 9).error().message,
              HasSubstr("has no step 0 layer 9; it has 400 lines, the last step is 396"));
}

TEST(Recorded, TheCorpusFolderCanBeMoved) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                       ("assay_recorded_test_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "routing");
  std::ofstream(folder / "routing" / "tiny.csv") << "step,layer,e0\n0,0,5\n";
  ASSERT_EQ(setenv("ASSAY_CORPUS", folder.c_str(), 1), 0);
  EXPECT_EQ(corpus_folder(), folder.string());
  EXPECT_THAT(recorded_rows("tiny", 0, 0).value(), ElementsAre(5));
  ASSERT_EQ(unsetenv("ASSAY_CORPUS"), 0);
  EXPECT_FALSE(recorded_rows("tiny", 0, 0).has_value());
  EXPECT_THAT(recorded_rows((folder / "routing" / "tiny.csv").string(), 0, 0).value(),
              ElementsAre(5));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace assay
