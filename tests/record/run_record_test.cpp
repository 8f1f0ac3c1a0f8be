#include "src/record/run_record.h"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/core/file.h"
#include "tests/core/sanitized.h"
#include "tests/record/record_fixture.h"

namespace assay {
namespace {

using testing::content_of;
using testing::Folder;
using ::testing::HasSubstr;
using testing::record_run;
using testing::recorded;
using testing::resealed;
using testing::tiny_names;

const std::string kFailing = "passes,refuses_some,on_a_gpu,fails_on_wide";

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string content_in(const std::string& path) {
  return content_of(*certification_of(recorded(path), tiny_names()));
}

std::string message_of(const std::string& text) {
  const auto record = parse_run(text, "r.jsonl", tiny_names());
  return record ? "accepted" : record.error().message;
}

TEST(RunRecord, HoldsWhatTheRunItselfAnswers) {
  const Folder folder;
  for (const std::string& checks : {std::string("passes,on_a_gpu"), kFailing}) {
    const auto run = record_run(folder / "r.jsonl", {.checks = checks});
    ASSERT_TRUE(run);
    const auto again = certification_of(recorded(folder / "r.jsonl"), tiny_names());
    ASSERT_TRUE(again);
    EXPECT_EQ(content_of(*again), content_of(*run));
    EXPECT_EQ(again->run.tally.domain.formats, run->run.tally.domain.formats);
    EXPECT_EQ(again->run.tally.domain.total(), run->run.tally.domain.total());
    EXPECT_EQ(again->findings.size(), run->findings.size());
  }
}

TEST(RunRecord, IsReadAndWrittenTheSame) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r.jsonl", {.checks = kFailing}));
  const RunRecord record = recorded(folder / "r.jsonl");
  const std::string text = run_text(record, tiny_names());
  const auto again = parse_run(text, "again", tiny_names());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(run_text(*again, tiny_names()), text);
}

TEST(RunRecord, HoldsTheAspectsOfWhatFailed) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r.jsonl", {.checks = "fails_on_wide"}));
  const RunRecord record = recorded(folder / "r.jsonl");
  const auto failed = std::ranges::find_if(
      record.cases, [](const auto& one) { return is_finding(one.second.result.kind); });
  ASSERT_NE(failed, record.cases.end());
  const std::vector<FailedAspect> expected = {{Aspect::kStrayWrite, "as planted"},
                                              {Aspect::kValues, "wrong, too"}};
  EXPECT_EQ(failed->second.verdict.failed, expected);
  ASSERT_TRUE(failed->second.verdict.inner.has_value());
  EXPECT_EQ(failed->second.verdict.inner->seed, 1);
  const auto again = certification_of(record, tiny_names());
  ASSERT_TRUE(again);
  ASSERT_EQ(again->findings.size(), 1U);
  EXPECT_EQ(again->findings[0].verdict.failed, expected);
  EXPECT_TRUE(again->findings[0].verdict.inner.has_value());
}

TEST(RunRecord, OfARunThatKeptGoingHoldsAllItsCases) {
  const Folder folder;
  const auto run =
      record_run(folder / "r.jsonl", {.checks = "fails_on_wide,passes", .keep_going = true});
  ASSERT_TRUE(run);
  const RunRecord record = recorded(folder / "r.jsonl");
  EXPECT_TRUE(record.header.keep_going);
  EXPECT_EQ(record.cases.size(), 120U);
  const auto again = certification_of(record, tiny_names());
  ASSERT_TRUE(again);
  EXPECT_EQ(content_of(*again), content_of(*run));
  EXPECT_EQ(again->run.tally.checks[0].left_out, 0);
  EXPECT_GT(again->run.tally.checks[0].failed_cases(), 1);
  EXPECT_EQ(again->run.tally.checks[0].failed_cases(), run->run.tally.checks[0].failed_cases());
  EXPECT_EQ(again->findings.size(), 1U);
  ASSERT_TRUE(record_run(folder / "s.jsonl", {.checks = "fails_on_wide,passes"}));
  EXPECT_NE(difference(record.header, recorded(folder / "s.jsonl").header), std::nullopt);
}

TEST(RunRecord, ShardsPutTogetherAreTheRun) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "all.jsonl", {.checks = kFailing}));
  std::vector<NamedRecord> parts;
  for (const Index part : {1, 2, 3}) {
    const std::string path = folder / std::to_string(part);
    const auto run = record_run(path, {.checks = kFailing, .shard = {part, 3}});
    ASSERT_TRUE(run);
    EXPECT_NE(run->run.tally.conclusion, Conclusion::kPassed) << "a part certifies nothing";
    parts.push_back({path, recorded(path)});
  }
  const auto merged = merge_runs(parts, tiny_names());
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(content_of(*certification_of(*merged, tiny_names())), content_in(folder / "all.jsonl"));
}

TEST(RunRecord, AMissingShardIsSeen) {
  const Folder folder;
  std::vector<NamedRecord> parts;
  for (const Index part : {1, 3}) {
    ASSERT_TRUE(record_run(folder / std::to_string(part), {.shard = {part, 3}}));
    parts.push_back({std::to_string(part), recorded(folder / std::to_string(part))});
  }
  const auto merged = certification_of(*merge_runs(parts, tiny_names()), tiny_names());
  EXPECT_EQ(merged->run.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_THAT(merged->run.tally.incomplete_because.front(), HasSubstr("40 of its cases"));
  parts.push_back(parts.front());
  EXPECT_THAT(merge_runs(parts, tiny_names()).error().message, HasSubstr("another of the runs"));
}

TEST(RunRecord, RunsThatDifferAreNotMerged) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "a", {.shard = {1, 2}}));
  ASSERT_TRUE(record_run(folder / "b", {.checks = "passes", .shard = {2, 2}}));
  const std::vector<NamedRecord> parts = {{"a", recorded(folder / "a")},
                                          {"b", recorded(folder / "b")}};
  EXPECT_THAT(merge_runs(parts, tiny_names()).error().message,
              HasSubstr("a and b are not one run: different digests of the profile"));
}

// A run killed anywhere: the record is cut after any byte.
TEST(RunRecord, AResumedRunEndsAsAnUninterruptedOne) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "all", {.checks = kFailing}));
  const std::string text = *read_file(folder / "all"), whole = content_in(folder / "all");
  const std::size_t first = text.find('\n') + 1;
  for (std::size_t cut = first; cut < text.size(); cut += 1 + text.size() / 23) {
    write_text(folder / "cut", text.substr(0, cut));
    ASSERT_TRUE(record_run(folder / "cut", {.checks = kFailing, .resume = true})) << cut;
    EXPECT_EQ(content_in(folder / "cut"), whole) << cut;
    const RunRecord record = recorded(folder / "cut");
    EXPECT_TRUE(record.end);
  }
}

TEST(RunRecord, AResumedRunKeepsWhatWasDone) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {}));
  const std::string text = *read_file(folder / "r");
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  write_text(folder / "r", text.substr(0, half));
  ASSERT_TRUE(record_run(folder / "r", {.resume = true}));
  EXPECT_EQ((*read_file(folder / "r")).substr(0, half), text.substr(0, half));
}

TEST(RunRecord, AKilledRunIsIncompleteWithAllItsCases) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {}));
  const std::string text = *read_file(folder / "r");
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  const auto record = parse_run(text.substr(0, half), "r", tiny_names());
  ASSERT_TRUE(record);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(record->cases.size()),
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(half), '\n') - 1);
  const auto certification = certification_of(*record, tiny_names());
  EXPECT_EQ(certification->run.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_THAT(certification->run.tally.incomplete_because.front(), HasSubstr("did not end"));
}

TEST(RunRecord, AKernelThatIsReplacedMeanwhileEndsTheRun) {
  const Folder folder;
  const std::string file = folder / "kernel.so";
  std::ofstream(file) << "another build";
  const auto run = record_run(folder / "r", {.kernel = file});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("was replaced while it was tested: its sha256 was "
                                             "aaaaaaaaaaaa..., now it is"));
}

TEST(RunRecord, AnotherRunIsNotResumed) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {}));
  const auto other = record_run(folder / "r", {.checks = "passes", .resume = true});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("is another run's: different digests"));
  const auto part = record_run(folder / "r", {.shard = {1, 2}, .resume = true});
  ASSERT_FALSE(part);
  EXPECT_THAT(part.error().message, HasSubstr("--shard must say the same"));
}

TEST(RunRecord, ADiskThatIsFullEndsTheRun) {
  const auto run = record_run("/dev/full", {});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("cannot write '/dev/full'"));
}

TEST(RunRecord, RefusesWhatIsNoneWithFileLineAndReason) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {.checks = kFailing}));
  const std::string text = *read_file(folder / "r");
  EXPECT_THAT(message_of(""), HasSubstr("r.jsonl: empty"));
  EXPECT_THAT(message_of("{\"a\": 1}\n"), HasSubstr("r.jsonl:1: no run of assay"));
  EXPECT_THAT(message_of("nonsense\n"), HasSubstr("r.jsonl:1: not JSON"));
  EXPECT_THAT(message_of(text.substr(0, text.size() - 5)), HasSubstr("is cut off after"));
  std::string newer = text;
  newer.replace(newer.find("\"assayRun\":2"), 12, "\"assayRun\":3");
  EXPECT_THAT(message_of(resealed(newer)),
              HasSubstr("r.jsonl:1: a run of version 3; this assay reads"));
  std::string odd = text;
  odd.replace(odd.find("\"Passed\""), 8, "\"Perfect\"");
  EXPECT_THAT(message_of(resealed(odd)), HasSubstr("'verdict': \"Perfect\" is none of"));
  odd = text;
  odd.replace(odd.find("\"case\":\"pass=fwd"), 16, "\"case\":\"pass=bwd");
  EXPECT_THAT(message_of(resealed(odd)), HasSubstr("bwd"));
  odd = text;
  odd.replace(odd.find(",60,"), 4, ",6000000000000,");
  EXPECT_THAT(message_of(resealed(odd)), HasSubstr("6000000000000 is too large a count"));
  odd = text;
  odd.insert(odd.rfind("\"cutShort\""), "\"mood\":1,");
  EXPECT_THAT(message_of(resealed(odd)), HasSubstr("unknown field 'mood'"));
}

// Every line can lose its end, or any one of its bytes, without a crash.
TEST(RunRecord, ADamagedFileIsRefusedOrReadNeverMore) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {.checks = "passes"}));
  const std::string text = *read_file(folder / "r");
  constexpr std::size_t kStep = testing::kSanitized ? 293 : 37;
  for (std::size_t at = 0; at < text.size(); at += kStep) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 7)));
    const auto record = parse_run(damaged, "d", tiny_names());
    if (record) { static_cast<void>(certification_of(*record, tiny_names())); }
    static_cast<void>(parse_run(text.substr(0, at), "d", tiny_names()));
  }
}

TEST(Waivers, LetAKnownFailureThroughAndListIt) {
  const Folder folder;
  const Waiver waiver{"fails_on_wide", "fake", "wide is broken", "https://example.org/1",
                      "2099-01-01"};
  const auto run = record_run(folder / "r", {.checks = kFailing, .waivers = {waiver}});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->run.tally.conclusion, Conclusion::kPassed);
  EXPECT_EQ(run->run.tally.waived(), 1);
  EXPECT_FALSE(run->certified());
  EXPECT_EQ(content_in(folder / "r"), content_of(*run));
}

TEST(Waivers, OutOfDateOrUnneededOnesFail) {
  const Folder folder;
  Waiver waiver{"fails_on_wide", "fake", "wide is broken", "https://example.org/1", "2026-06-14"};
  auto run = record_run(folder / "r", {.checks = kFailing, .waivers = {waiver}});
  EXPECT_EQ(run->run.tally.conclusion, Conclusion::kFailed);
  EXPECT_THAT(run->run.tally.broken_waivers.at(0), HasSubstr("ended on 2026-06-14"));
  waiver = {"passes", "fake", "no longer", "https://example.org/2", "2099-01-01"};
  run = record_run(folder / "r", {.waivers = {waiver}});
  EXPECT_EQ(run->run.tally.conclusion, Conclusion::kFailed);
  EXPECT_THAT(run->run.tally.broken_waivers.at(0), HasSubstr("remove the waiver"));
  waiver.kernel = "another";
  run = record_run(folder / "r", {.waivers = {waiver}});
  EXPECT_EQ(run->run.tally.conclusion, Conclusion::kPassed);
}

TEST(Waivers, AFileIsReadStrictly) {
  const auto message = [](const std::string& text) {
    const auto waivers = parse_waivers(text, "w.json", tiny_names());
    return waivers ? "accepted" : waivers.error().message;
  };
  const std::string good =
      R"("check": "passes", "kernel": "k", "reason": "r", "link": "l", "until": "2026-02-28")";
  EXPECT_EQ(message("{\"waivers\": [{" + good + "}]}"), "accepted");
  EXPECT_THAT(message("{\"waivers\": [{" + good + ", \"why\": 1}]}"), HasSubstr("unknown field"));
  EXPECT_THAT(message(R"({"waivers": [{"check": "passes"}]})"),
              HasSubstr("'waivers[0].kernel': is missing"));
  EXPECT_THAT(message("{\"waivers\": [{" + good + "},{" + good + "}]}"), HasSubstr("already"));
  EXPECT_THAT(message("[]"), HasSubstr("w.json: "));
  std::string no_day = good;
  no_day.replace(no_day.find("02-28"), 5, "02-30");
  EXPECT_THAT(message("{\"waivers\": [{" + no_day + "}]}"), HasSubstr("is not a date YYYY-MM-DD"));
}

}  // namespace
}  // namespace assay
