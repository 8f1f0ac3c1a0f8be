// A record is wholly of one run, or it certifies nothing.
#include <algorithm>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/certificate/certificate_fixture.h"
#include "tests/core/sanitized.h"

namespace assay {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using testing::lines_of;
using testing::record_run;
using testing::recorded;
using testing::slurped;
using testing::spill;
using testing::tiny_names;

std::string message_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) { text += line; }
  const auto record = parse_run(text, "r", tiny_names());
  return record ? "accepted" : record.error().message;
}

TEST(OneRecord, IsWrittenByOneRunAtATime) {
  const Folder folder;
  const std::string path = folder / "r.jsonl";
  {
    const auto held = RecordLock::take(path);
    ASSERT_TRUE(held);
    const auto second = record_run(path, {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message,
              "another run writes '" + path +
                  "' now: wait for its end, or name another folder with --out");
    EXPECT_EQ(slurped(path), "");
  }
  EXPECT_TRUE(record_run(path, {})) << "the lock goes with its holder";
}

// The first run's file was moved away or replaced while the second one waited for its lock.
TEST(OneRecord, IsLockedInItsPlace) {
  const Folder folder;
  const std::string path = folder / "r.jsonl";
  const auto held = RecordLock::take(path);
  ASSERT_TRUE(held);
  std::filesystem::rename(path, folder / "moved.jsonl");
  const auto second = RecordLock::take(path);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(RecordLock::take(path));
}

TEST(OneRecord, HoldsNoLineOfAnotherRun) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "a", {}));
  ASSERT_TRUE(record_run(folder / "b", {}));
  const auto a = lines_of(slurped(folder / "a")), b = lines_of(slurped(folder / "b"));
  ASSERT_EQ(message_of(a), "accepted");
  for (std::size_t at = 0; at < a.size(); ++at) {
    auto mixed = a;
    mixed[at] = b[at];
    EXPECT_THAT(message_of(mixed), HasSubstr("it certifies neither")) << at;
  }
}

TEST(OneRecord, DoesNotContradictItself) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {}));
  const auto whole = parse_run(slurped(folder / "r"), "r", tiny_names());
  ASSERT_TRUE(whole) << whole.error().message;
  const auto message = [](const RunRecord& record) {
    const auto read = parse_run(run_text(record, tiny_names()), "r", tiny_names());
    return read ? "accepted" : read.error().message;
  };
  const auto passed = std::ranges::find_if(
      whole->cases, [](const auto& one) { return one.second.result.kind == VerdictKind::kPassed; });
  ASSERT_NE(passed, whole->cases.end());
  ASSERT_EQ(message(*whole), "accepted");
  RunRecord record = *whole;
  record.cases[passed->first].result.worst_ratio = 5;
  EXPECT_THAT(message(record), HasSubstr("'errorOverBound': 5 in a case that is Passed"));
  record = *whole;
  record.header.artifact.sha256 = "zzz";
  EXPECT_THAT(message(record), HasSubstr("'zzz' is not 64 lower-case hexadecimal digits"));
  record = *whole;
  Finding finding;
  finding.check = &tiny_names().checks[0];
  finding.shrunk = finding.original = parse_case(passed->second.line).value();
  record.findings.emplace(passed->first, finding);
  EXPECT_THAT(message(record), HasSubstr("did not fail"));
}

// What hung is judged again alone: two lines of one case, of which the later one counts.
TEST(OneRecord, HasAHungCaseTwice) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {.checks = "hangs", .keep_going = true}));
  const auto read = parse_run(slurped(folder / "r"), "r", tiny_names());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(std::ranges::any_of(read->cases, [](const auto& one) {
    return one.second.result.kind == VerdictKind::kHung && one.second.result.alone;
  }));
}

TEST(OneRecord, HasItsLinesInTheirOrderAndAsTheyWereWritten) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "a", {}));
  const auto lines = lines_of(slurped(folder / "a"));
  constexpr std::size_t kStep = testing::kSanitized ? 8 : 1;
  for (std::size_t at = 1; at + 1 < lines.size(); at += kStep) {
    auto moved = lines;
    std::swap(moved[at], moved[at + 1]);
    EXPECT_THAT(message_of(moved), HasSubstr("does not follow from the lines before it")) << at;
    auto lost = lines;
    lost.erase(lost.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_THAT(message_of(lost), HasSubstr("does not follow from the lines before it")) << at;
    auto twice = lines;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
    EXPECT_THAT(message_of(twice), HasSubstr("does not follow from the lines before it")) << at;
  }
  auto bare = lines;
  bare[1] = bare[1].substr(0, bare[1].find(",\"run\"")) + "}\n";
  EXPECT_THAT(message_of(bare), HasSubstr("does not end in its run and seal"));
}

TEST(OneRecord, OfVersionOneIsReadAndCertifiesNothing) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "a", {.checks = "passes"}));
  std::string old;
  for (const std::string& line : lines_of(slurped(folder / "a"))) {
    old += line.substr(0, line.find(",\"run\"")) + "}\n";
  }
  old.replace(old.find("\"assayRun\":2"), 12, "\"assayRun\":1");
  const auto record = parse_run(old, "old", tiny_names());
  ASSERT_TRUE(record) << record.error().message;
  const auto result = certification_of(*record, tiny_names());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->run.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_FALSE(result->certified());
  EXPECT_THAT(result->run.tally.incomplete_because.front(), HasSubstr("version 1"));
  EXPECT_THAT(merge_runs({{"old", *record}}, tiny_names()).error().message, HasSubstr("version 1"));
  spill(folder / "old", old);
  EXPECT_THAT(record_run(folder / "old", {.checks = "passes", .resume = true}).error().message,
              HasSubstr("version 1, which cannot be continued"));
}

TEST(Outputs, OfAnEarlierRunGoAsARunBegins) {
  const testing::CertifiedRun run(false);
  const RunRecord record = recorded(run.results);
  ASSERT_TRUE(std::filesystem::exists(run.folder / "fake.so.report.html"));
  ASSERT_TRUE(remove_outputs(run.folder / "", record.header.artifact));
  for (const char* file : {"fake.so.report.html", "fake.so.junit.xml", "fake.so.intoto.jsonl"}) {
    EXPECT_FALSE(std::filesystem::exists(run.folder / file)) << file;
  }
  EXPECT_TRUE(std::filesystem::exists(run.results));
}

TEST(Outputs, AFolderInTheirPlaceIsKept) {
  const Folder folder;
  std::filesystem::create_directories(folder / "fake.junit.xml");
  const Status status = remove_outputs(folder / "", {.name = "fake"});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("fake.junit.xml': it is a folder"));
  EXPECT_TRUE(std::filesystem::exists(folder / "fake.junit.xml"));
}

// A pipe would be waited for, a device gives nothing back.
TEST(OneRecord, IsARegularFile) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder / "pipe", std::string("/dev/null")}) {
    const auto run = record_run(path, {});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().message, "cannot write '" + path + "': not a regular file");
  }
}

TEST(Outputs, ACertificateYieldsToOneThatSaysAsMuch) {
  const testing::CertifiedRun run(false);
  RunHeader header = recorded(run.results).header;
  const auto allowed = [&](const RunHeader& next) -> std::string {
    const auto status = may_replace(run.folder / "", next, *plan_of(next, tiny_names()));
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(allowed(header), "") << "the same profile";
  RunHeader other = header;
  other.filter = "passes";
  EXPECT_THAT(allowed(other), HasSubstr("a run with --filter or --seed would replace it"));
  other = header;
  other.profile.name = "larger";
  other.profile.sha256 = std::string(64, 'b');
  EXPECT_EQ(allowed(other), "") << "as many cases";
  other.profile.lines[0].count -= 1;
  EXPECT_THAT(allowed(other), HasSubstr("a run of profile larger would replace it"));
  other = header;
  other.profile.name = "looks";
  other.profile.certifies_cpu = false;
  EXPECT_THAT(allowed(other), HasSubstr("or say --replace"));
  std::filesystem::remove(run.certificate);
  EXPECT_EQ(allowed(other), "") << "nothing to lose";
}

}  // namespace
}  // namespace assay
