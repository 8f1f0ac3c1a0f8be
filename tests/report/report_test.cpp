#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/campaign/progress.h"
#include "src/core/file.h"
#include "src/problem/case_text.h"
#include "src/record/finding_json.h"
#include "src/report/report_json.h"
#include "src/report/report_text.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Check kCheck = testing::fake_check("rows_are_right");
const Check kGpuCheck = testing::fake_check("on_a_gpu");

Finding finding() {
  Finding finding;
  finding.check = &kCheck;
  finding.checks = {&kCheck, &kGpuCheck};
  finding.original = *parse_case("pass=fwd k=96 n=64 rows=0,7,128,1 seed=17");
  finding.shrunk = *parse_case("pass=fwd k=2 n=1 rows=0,1");
  finding.verdict.kind = VerdictKind::kFailed;
  finding.verdict.reason = "1 of 1 elements is wrong";
  finding.verdict.failed = {{Aspect::kValues, "1 of 1 elements is wrong"},
                            {Aspect::kStrayWrite, "a gap"}};
  finding.verdict.worst = Entry{.expert = 1,
                                .got_bits = 0x3fc0,
                                .exact_bits = 0x4040,
                                .got = 1.5,
                                .exact = 3,
                                .bound = 0.25,
                                .ratio = 6};
  finding.diagnosis = {.hypothesis = "reduction_tail_dropped",
                       .sentence = "only whole blocks of 2",
                       .share = 0.75,
                       .tried = 25,
                       .where = "1 of 1 elements; expert 1 rows 0 columns 0"};
  finding.replay = replay_command("./k.so", finding.shrunk, kCheck.name);
  return finding;
}

Certification failed_certification() {
  Certification certification{.kernel = "./k.so", .profile = "ci", .profile_certifies = true};
  certification.run.manifest = testing::every_manifest();
  certification.run.tally.conclusion = Conclusion::kFailed;
  certification.run.tally.checks = {
      {.check = &kCheck,
       .verdict = VerdictKind::kFailed,
       .drawn = 100,
       .cases = 12,
       .left_out = 88,
       .kinds = {11, 1},
       .worst_ratio = std::numeric_limits<double>::infinity(),
       .worst_job = 11,
       .seconds = 0.5},
      {.check = &kGpuCheck, .verdict = VerdictKind::kNotApplicable, .reason = "needs a GPU"}};
  certification.run.worst_cases = {"pass=fwd k=2 n=1 rows=0,1", ""};
  certification.run.worst_measured_cases = {"", ""};
  certification.findings.push_back(finding());
  return certification;
}

TEST(ReportText, AFindingHasItsFiveParts) {
  EXPECT_EQ(finding_text("./k.so", finding(), {}),
            "Failed: ./k.so: wrong values (values): 1 of 1 elements is wrong\n"
            "  check   rows_are_right and 1 other check: on_a_gpu\n"
            "  case    pass=fwd k=2 n=1 rows=0,1\n"
            "  from    pass=fwd k=96 n=64 rows=0,7,128,1 seed=17\n"
            "  also    bytes written outside the owned elements (stray_write): a gap\n"
            "  worst   expert 1 row 0 column 0\n"
            "  exact   3 = 0x1.8p+1, rounded 0x4040\n"
            "  got     1.5 = 0x1.8p+0, bf16 0x3fc0\n"
            "  bound   0.25 = 0x1p-2, error 1.5 = 0x1.8p+0\n"
            "  wrong   1 of 1 elements; expert 1 rows 0 columns 0\n"
            "  likely  reduction_tail_dropped: only whole blocks of 2 (explains 75 % of what is "
            "wrong)\n"
            "  replay  assay run 'pass=fwd k=2 n=1 rows=0,1' --kernel ./k.so --check "
            "rows_are_right\n");
}

TEST(ReportText, OfALongSequenceTheFirstStepsAndTheirNumber) {
  Finding late = finding();
  for (int i = 0; i < 344; ++i) { late.before.push_back("whole: step " + std::to_string(i)); }
  const std::string text = finding_text("./k.so", late, {});
  EXPECT_THAT(text, HasSubstr("  before  whole: step 0\n          whole: step 1\n"
                              "          whole: step 2\n          and 341 more steps\n  replay  "));
  EXPECT_THAT(text, Not(HasSubstr("step 3\n")));
  const auto json = nlohmann::ordered_json::parse(finding_json(late).dump());
  EXPECT_EQ(json["before"].size(), 344U);
  EXPECT_FALSE(finding_json(finding()).contains("before"));
}

Result<Finding> read_finding(const Json& json, const Registry& names) {
  Finding finding;
  ASSAY_TRY(read_json(json, "", finding, names));
  return finding;
}

TEST(FindingJson, HoldsWhatIsWrongAndWhoMetIt) {
  const Check both[] = {kCheck, kGpuCheck};
  const Json json = finding_json(finding());
  EXPECT_EQ(json["aspect"], "values");
  EXPECT_EQ(json["alsoWrong"][0]["aspect"], "stray_write");
  EXPECT_EQ(json["checks"], Json({"rows_are_right", "on_a_gpu"}));
  const auto read = read_finding(json, {both, {}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->verdict.failed, finding().verdict.failed);
  ASSERT_EQ(read->checks.size(), 2U);
  EXPECT_EQ(read->checks[1], &both[1]);
}

TEST(FindingJson, OldFindingsHaveNeitherAspectNorOtherChecks) {
  Json json = finding_json(finding());
  for (const char* field : {"aspect", "alsoWrong", "checks"}) { json.erase(field); }
  const auto read = read_finding(json, {{&kCheck, 1}, {}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->verdict.failed.empty());
  EXPECT_EQ(read->checks.size(), 1U);
  EXPECT_THAT(finding_text("k", *read, {}), HasSubstr("Failed: k: rows_are_right: 1 of 1"));
}

TEST(FindingJson, RefusesAspectsThatThereAreNot) {
  Json json = finding_json(finding());
  json["checks"] = {"rows_are_right"};
  json["aspect"] = "stray";
  EXPECT_THAT(read_finding(json, {{&kCheck, 1}, {}}).error().message, HasSubstr("stray_write"));
  json["aspect"] = "values";
  json["alsoWrong"][0]["aspect"] = 7;
  EXPECT_THAT(read_finding(json, {{&kCheck, 1}, {}}).error().message,
              HasSubstr("'alsoWrong[0].aspect'"));
}

TEST(FindingJson, AStepMayComeAgain) {
  Finding late = finding();
  late.before = {"whole: step 0", "whole: step 1", "whole: step 0"};
  late.checks = {&kCheck};
  const Registry names{{&kCheck, 1}, {}};
  Finding read;
  const Status status = read_json(finding_json(late), "", read, names);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(read.before, late.before);
  Json broken = finding_json(late);
  broken["before"][1] = 3;
  EXPECT_THAT(read_json(broken, "", read, names).error().message, HasSubstr("'before'"));
}

TEST(ReportText, AnElementStandsWhereElementsAreWrong) {
  Finding beside = finding();
  beside.verdict.failed = {{Aspect::kStrayWrite, "a gap"}};
  EXPECT_THAT(finding_text("k", beside, {}), Not(HasSubstr("  worst   ")));
  for (const Aspect aspect : {Aspect::kValues, Aspect::kEmptyGradient, Aspect::kRelation}) {
    beside.verdict.failed = {{Aspect::kStrayWrite, "a gap"}, {aspect, "of an element"}};
    EXPECT_THAT(finding_text("k", beside, {}), HasSubstr("  worst   "));
  }
}

TEST(ReportText, SaysSoWhenNoHypothesisExplainsIt) {
  Finding unexplained = finding();
  unexplained.diagnosis.hypothesis.clear();
  unexplained.diagnosis.sentence.clear();
  EXPECT_THAT(finding_text("k", unexplained, {}), HasSubstr("none of 25 hypotheses explains it"));
  unexplained.diagnosis.where.clear();
  EXPECT_THAT(finding_text("k", unexplained, {}), HasSubstr("nothing is wrong in a plain run"));
  unexplained.diagnosis.sentence = "a plain run returns an error: no";
  const std::string text = finding_text("k", unexplained, {});
  EXPECT_THAT(text, HasSubstr("no hypothesis: a plain run returns an error: no\n"));
  EXPECT_THAT(text, Not(HasSubstr("nothing is wrong")));
}

TEST(ReportText, TheTableHasReasonsAndTheLastLineCounts) {
  const std::string text = report_text(failed_certification(), {});
  EXPECT_THAT(text, HasSubstr("inf"));
  EXPECT_THAT(text, HasSubstr("1 of 12 cases failed, 88 left out after its findings"));
  EXPECT_THAT(text, HasSubstr("needs a GPU"));
  EXPECT_THAT(text, HasSubstr("Failed: ./k.so under profile ci"));
  EXPECT_TRUE(text.ends_with("0 passed, 1 failed, 1 skipped\n")) << text;
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(report_text(failed_certification(), {.colour = true}), HasSubstr("\x1b[31m"));
}

TEST(ReportText, OnlyAWholeRunOfACertifyingProfileCertifies) {
  Certification certification = failed_certification();
  EXPECT_FALSE(certification.certified());
  certification.run.tally.conclusion = Conclusion::kPassed;
  EXPECT_TRUE(certification.certified());
  EXPECT_THAT(conclusion_text(certification, {}), HasSubstr("certified for what was tested"));
  certification.run.whole_profile = false;
  EXPECT_FALSE(certification.certified());
  EXPECT_THAT(conclusion_text(certification, {}), HasSubstr("certifies nothing"));
  certification.run.whole_profile = true;
  certification.profile_certifies = false;
  EXPECT_FALSE(certification.certified());
  EXPECT_THAT(conclusion_text(certification, {}), HasSubstr("does not certify"));
}

TEST(ReportJson, HoldsWhatTheTextHolds) {
  const auto json = nlohmann::json::parse(report_json(failed_certification(), {}));
  EXPECT_EQ(json["verdict"], "Failed");
  EXPECT_EQ(json["certified"], false);
  EXPECT_EQ(json["checks"][0]["cases"], 12);
  EXPECT_EQ(json["checks"][0]["worst"]["errorOverBound"], "inf");
  EXPECT_EQ(json["checks"][1]["worst"], nullptr);
  const auto& found = json["findings"][0];
  EXPECT_EQ(found["check"], "rows_are_right");
  EXPECT_EQ(found["worst"]["got"]["bits"], "0x3fc0");
  EXPECT_EQ(found["worst"]["exact"]["hex"], "0x1.8p+1");
  EXPECT_EQ(found["diagnosis"]["hypothesis"], "reduction_tail_dropped");
  const auto again = parse_case(found["case"].get<std::string>());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, finding().shrunk);
}

TEST(ReportJson, KeysComeInTheSameOrder) {
  const std::string text = report_json(failed_certification(), {});
  EXPECT_LT(text.find("\"kernel\""), text.find("\"verdict\""));
  EXPECT_LT(text.find("\"verdict\""), text.find("\"checks\""));
  EXPECT_LT(text.find("\"checks\""), text.find("\"findings\""));
}

class ReportFile : public ::testing::Test {
 protected:
  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                  ("assay_report_file_test_" + std::to_string(::getpid()));
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
};

TEST_F(ReportFile, ReplacesTheOldReportAndLeavesNothingBeside) {
  const std::string path = (folder_ / "report.json").string();
  std::ofstream(path) << "old";
  ASSERT_TRUE(write_file(path, "{}\n"));
  std::ifstream stream(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "{}\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReportFile, AProbeLeavesTheOldReportAlone) {
  const std::string path = (folder_ / "report.json").string();
  std::ofstream(path) << "old";
  ASSERT_TRUE(can_write_file(path));
  std::ifstream stream(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReportFile, WritesThroughALink) {
  const std::string path = (folder_ / "report.json").string(), link = (folder_ / "link").string();
  std::ofstream(path) << "old";
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(can_write_file(link));
  ASSERT_TRUE(write_file(link, "{}\n"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(*read_file(path), "{}\n");
  EXPECT_EQ(files(), 2u);
}

// As root a rename would put a file in the place of /dev/null.
TEST_F(ReportFile, APipeStaysOne) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(can_write_file(path));
  EXPECT_TRUE(write_file(path, "{}\n"));
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 3);
  EXPECT_STREQ(text, "{}\n");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReportFile, WhatStdoutGoesToIsNotReplaced) {
  const std::string path = (folder_ / "said").string();
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO);
  ASSERT_NE(std::freopen(path.c_str(), "w", stdout), nullptr);
  std::printf("table\n");
  const Status open = can_write_file("/dev/stdout"), written = write_file("/dev/stdout", "{}\n");
  std::printf("end\n");
  std::fflush(stdout);
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  EXPECT_TRUE(open && written);
  EXPECT_EQ(*read_file(path), "table\n{}\nend\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReportFile, RefusesFoldersAndPlacesThatDoNotExist) {
  const auto folder = can_write_file(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr(folder_.string()));
  const auto missing = can_write_file((folder_ / "no" / "such.json").string());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
  EXPECT_FALSE(write_file((folder_ / "no" / "such.json").string(), "{}"));
}

TEST(Progress, OneLineSaysHowFarItIs) {
  const Progress progress{
      .done = 50, .total = 200, .check = "rows", .seconds = 10, .seconds_left = 30, .findings = 2};
  EXPECT_EQ(progress_text(progress, 8),
            " 25 %  [##......]  50/200  5 cases/s  30 s left  2 findings  rows");
  EXPECT_EQ(progress_text(progress, 0), " 25 %  50/200  5 cases/s  30 s left  2 findings  rows");
}

TEST(TileMap, MarksTheTilesThatAreWrong) {
  const Problem problem = make_problem(*parse_case("pass=fwd k=8 n=8 rows=4,0,6 fill=integers"));
  std::vector<std::byte> output = exact_output(problem);
  // Row 1 of expert 2, columns 0 to 3: all of one 1x4 tile and of half a 2x4 one.
  for (Index col = 0; col < 4; ++col) {
    store_bits(Format::kBf16, output.data() + ((4 + 1) * 8 + col) * 2, 0x4580);
  }
  const TileMap map =
      make_tile_map(problem, testing::every_manifest(), output, {.tile_rows = 2, .tile_cols = 4});
  ASSERT_EQ(map.experts.size(), 3u);
  EXPECT_FALSE(map.experts[0].any_wrong());
  ASSERT_EQ(map.experts[2].tiles.size(), 6u);
  EXPECT_EQ(map.experts[2].tiles[0].wrong, 4);
  EXPECT_TRUE(std::isinf(map.experts[2].tiles[0].worst_ratio));
  EXPECT_EQ(map.experts[2].tiles[1].wrong, 0);
  const std::string text = tile_map_text(map);
  EXPECT_THAT(text, HasSubstr("expert    2  row      0  +.\n"));
  EXPECT_THAT(text, HasSubstr("expert    2  row      2  ..\n"));
  EXPECT_THAT(text, HasSubstr("2 experts without a wrong element"));
  const auto json = nlohmann::json::parse(tile_map_json(map));
  EXPECT_EQ(json["experts"][2]["tiles"][0]["wrong"], 4);
}

TEST(TileMap, AnExpertWithoutRowsHasAGradient) {
  const Problem problem = make_problem(*parse_case("pass=wgrad k=6 n=8 rows=4,0 fill=integers"));
  std::vector<std::byte> output = exact_output(problem);
  store_bits(Format::kBf16, output.data() + output.size() - 2, 0x4580);
  const TileMap map =
      make_tile_map(problem, testing::every_manifest(), output, {.tile_rows = 2, .tile_cols = 4});
  ASSERT_EQ(map.experts.size(), 2u);
  EXPECT_FALSE(map.experts[0].any_wrong());
  EXPECT_EQ(map.experts[1].tiles.back().wrong, 1);
}

}  // namespace
}  // namespace assay
