#include "src/bench/gpu_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

const BenchCase kShape{"skew", 64, 32, {8, 0, 56}};

Contest contest(const char* name, ContestantKind kind, double milliseconds,
                const char* tactic = "") {
  Contest made;
  made.name = name;
  made.tactic = tactic;
  made.kind = kind;
  made.seconds.assign(5, milliseconds / 1000);
  return made;
}

Contest kernel(double milliseconds, const char* tactic = "default") {
  return contest("sm90", ContestantKind::kKernel, milliseconds, tactic);
}
Contest dense(double milliseconds) { return contest("dense", ContestantKind::kRoof, milliseconds); }
Contest baseline(const char* name, double milliseconds) {
  return contest(name, ContestantKind::kBaseline, milliseconds);
}

GpuRecord record_of(std::vector<TimedProduct> products) {
  GpuRecord record;
  record.gpu = "NVIDIA H200";
  record.driver = record.runtime = "13.0";
  record.cublas = "13.1.0";
  record.in = "bf16";
  record.weights = "enk";
  record.copy_bytes_per_second = 4.25e12;
  record.bare_seconds = 0x1p-19;
  record.products = std::move(products);
  return record;
}

TimedProduct product(double kernel_milliseconds, double floor_milliseconds = 0.5) {
  return summarise(kShape, Pass::kFwd, floor_milliseconds / 1000,
                   {kernel(kernel_milliseconds), dense(1), baseline("cublas_loop", 4),
                    baseline("cublas_grouped", 3)});
}

TEST(GpuRecord, RatiosAreAgainstRoofAndBestBaseline) {
  const TimedProduct made = product(1.25);
  EXPECT_EQ(made.best_baseline, "cublas_grouped");
  EXPECT_FALSE(made.memory_bound);
  const TimedLine& line = made.lines.front();
  EXPECT_EQ(line.of_roof, 0.001 / 0.00125);
  EXPECT_EQ(line.over_baseline, 0.003 / 0.00125);
  EXPECT_EQ(line.flop_per_second, 2.0 * 64 * 64 * 32 / 0.00125);
  EXPECT_EQ(made.share(line), line.of_roof);
  EXPECT_EQ(made.largest, 56);
  EXPECT_EQ(made.empty, 1);
}

TEST(GpuRecord, WhereMemoryBindsTheFloorCounts) {
  const TimedProduct made = product(4, 2);
  EXPECT_TRUE(made.memory_bound);
  EXPECT_EQ(made.lines.front().over_floor, 2);
  EXPECT_EQ(made.share(made.lines.front()), 0.5);
}

TEST(GpuRecord, AWrongOrAbsentContestantHasNoShareAndIsNoPeer) {
  Contest wrong = baseline("cublas_grouped", 1);
  wrong.wrong = true;
  wrong.trouble = "wrong after timing: x";
  Contest absent = baseline("cublas_padded", 1);
  absent.seconds.clear();
  absent.trouble = "the device has not 9 bytes left";
  const TimedProduct made =
      summarise(kShape, Pass::kDgrad, 0.0005,
                {kernel(2), dense(1), wrong, absent, baseline("cublas_loop", 4)});
  EXPECT_EQ(made.best_baseline, "cublas_loop");
  EXPECT_EQ(made.share(made.lines[2]), std::nullopt);
  EXPECT_EQ(made.share(made.lines[3]), std::nullopt);
  const std::string line = product_line(made);
  EXPECT_THAT(line, HasSubstr("WRONG: wrong after timing: x"));
  EXPECT_THAT(line, HasSubstr("cublas_padded: the device has not 9 bytes left"));
  EXPECT_THAT(line, HasSubstr("sm90 default 2.0000 ms (0.500 of roof, 2.00 x cublas_loop)"));
}

TEST(GpuRecord, JsonReadsBackToTheSameText) {
  GpuRecord record = record_of({product(1.25), product(4, 2)});
  record.products[1].pass = Pass::kWgrad;
  record.products[1].lines[0].wrong = true;
  record.products[1].lines[0].trouble = "wrong before timing: \"x\"";
  record.products[1].lines[2].of_roof.reset();
  const std::string json = record_json(record);
  const auto read = parse_record(json, "f.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(record_json(*read), json);
  EXPECT_EQ(read->products[1].pass, Pass::kWgrad);
  EXPECT_EQ(read->products[0].lines[0].seconds, record.products[0].lines[0].seconds);
}

TEST(GpuRecord, OtherFilesAreRefusedByName) {
  const auto message = [](const std::string& text) {
    const auto read = parse_record(text, "f.json");
    return read ? "accepted" : read.error().message;
  };
  EXPECT_THAT(message("pass"), HasSubstr("f.json"));
  EXPECT_THAT(message("{}"), HasSubstr("format"));
  EXPECT_THAT(message("[1]"), HasSubstr("f.json"));
  EXPECT_THAT(message(R"({"format": "other/1"})"), HasSubstr("'other/1'"));
  std::string json = record_json(record_of({product(1)}));
  json.replace(json.find("\"fwd\""), 5, "\"bwd\"");
  EXPECT_THAT(message(json), HasSubstr("bwd"));
}

Index worse_than(double before_milliseconds, double now_milliseconds) {
  const auto comparison = compare_records(record_of({product(now_milliseconds)}),
                                          record_of({product(before_milliseconds)}));
  if (!comparison) { return -1; }
  EXPECT_EQ(comparison->compared, 1);
  return static_cast<Index>(comparison->worse.size());
}

TEST(Against, FailsFromThreePercentOn) {
  EXPECT_EQ(worse_than(1, 1), 0);
  EXPECT_EQ(worse_than(1, 1.03), 0);
  EXPECT_EQ(worse_than(1, 1.04), 1);
  EXPECT_EQ(worse_than(1, 0.5), 0);
}

TEST(Against, AKernelThatIsWrongNowIsWorse) {
  GpuRecord now = record_of({product(1)});
  now.products[0].lines[0].wrong = true;
  const auto comparison = compare_records(now, record_of({product(1)}));
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->worse.size(), 1u);
  EXPECT_EQ(comparison->worse[0].what, "skew fwd sm90 default");
  EXPECT_EQ(comparison->worse[0].now, 0);
}

TEST(Against, BaselinesMayChange) {
  GpuRecord now = record_of({product(1)});
  for (TimedLine& line : now.products[0].lines) {
    if (line.kind != ContestantKind::kKernel) { line.of_roof = 0.01; }
  }
  const auto comparison = compare_records(now, record_of({product(1)}));
  ASSERT_TRUE(comparison);
  EXPECT_TRUE(comparison->worse.empty());
}

TEST(Against, RunsThatDoNotCompareAreRefused) {
  const GpuRecord now = record_of({product(1)});
  GpuRecord other_gpu = now, other_pass = now;
  other_gpu.gpu = "NVIDIA A100";
  other_pass.products[0].pass = Pass::kWgrad;
  EXPECT_THAT(compare_records(now, other_gpu).error().message, HasSubstr("'NVIDIA A100'"));
  EXPECT_THAT(compare_records(now, other_pass).error().message, HasSubstr("in common"));
}

// tall wins on the recorded rows, plain on equal ones.
GpuRecord with_tactics() {
  const auto timed = [](const BenchCase& shape, double tall, double plain) {
    return summarise(shape, Pass::kFwd, 0.0005,
                     {kernel(plain), kernel(tall, "tall"), kernel(plain, "plain"), dense(1)});
  };
  return record_of({timed(kShape, 2, 3), timed(uniform_partner(kShape), 2, 1.5)});
}

TEST(Tactics, TheWinnerIsNamedWhereItDiffersFromEqualRows) {
  const auto choices = tactic_choices(with_tactics());
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].case_name, "skew");
  EXPECT_EQ(choices[0].here, "tall");
  EXPECT_EQ(choices[0].uniform, "plain");
  EXPECT_EQ(choices[0].cost, 0.003 / 0.002 - 1);
  EXPECT_EQ(choices[0].default_cost, 0.003 / 0.002 - 1);
}

TEST(Tactics, OneTacticIsNoChoice) {
  GpuRecord record = with_tactics();
  for (TimedProduct& timed : record.products) { timed.lines.erase(timed.lines.begin() + 2); }
  EXPECT_TRUE(tactic_choices(record).empty());
}

TEST(Markdown, HasTheMachineEveryLineAndTheTactics) {
  const std::string text = record_markdown(with_tactics());
  EXPECT_THAT(text, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(text, HasSubstr("| skew | 64 | 32 | 3 | 64 | 56 | 1 |"));
  EXPECT_THAT(text, HasSubstr("| skew | fwd | sm90 tall | 2.0000 | 0.0 % | 0 | 0.500 | - | 4.000 "
                              "| right |"));
  EXPECT_THAT(text, HasSubstr("| skew | fwd | sm90 | tall | plain | yes | 50.0 % | 50.0 % |"));
  EXPECT_THAT(record_markdown(record_of({product(1)})), Not(HasSubstr("Tactics")));
}

}  // namespace
}  // namespace assay
