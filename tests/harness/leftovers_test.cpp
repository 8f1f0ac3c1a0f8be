// What a call leaves changed around it is named, and put back before the next call.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/harness/judge/judge_case.h"
#include "tests/core/sanitized.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

const std::string kLine = "pass=fwd k=8 n=6 rows=3,2 seed=1";

Outcome run(Session& session, const std::string& tactic, const RunOptions& options = {}) {
  const std::string line = tactic.empty() ? kLine : kLine + " tactic=" + tactic;
  return session.run(problem_of(line), options);
}

struct Left {
  const char* tactic;
  const char* words;
  bool forgiven_once = false;
};
constexpr Left kLeft[] = {
#if defined(__x86_64__)
    {"flushing",
     "left the SSE control word changed: flush-to-zero is on, denormals-are-zero is on"},
    {"precision", "left the x87 control word changed: results are kept in 24 bits"},
    {"traps", "left floating-point traps enabled: divide by zero, inexact"},
    {"several",
     "left the SSE control word changed: flush-to-zero is on, denormals-are-zero is on; left "
     "SIGINT, SIGTERM blocked; left the working directory changed to '/'"},
#endif
    {"rounding", "left the rounding mode changed: upward"},
    {"signals", "left SIGINT, SIGTERM blocked"},
    {"folder", "left the working directory changed to '/'"},
    {"umask", "left the umask changed to 777"},
    {"variable", "left the environment variable 'ASSAY_TEST_VARIABLE' set", true},
    {"locale", "left the locale changed to"},
    {"handler", "left SIGTERM ignored", true},
    {"nice", "left the nice value changed to 15"},
    {"limit", "left the limit of its open files lowered"},
    {"call", "changed the call that it was given, which is const"},
};

TEST(Leftovers, AreNamedAndPutBack) {
  const std::vector<std::byte> exact = exact_output(problem_of(kLine));
  for (const Left& left : kLeft) {
    SCOPED_TRACE(left.tactic);
    const auto session = worker_of("changes_surroundings");
    if (left.forgiven_once) { EXPECT_EQ(run(*session, left.tactic).leftover, ""); }
    const Outcome outcome = run(*session, left.tactic);
    EXPECT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
    EXPECT_EQ(outcome.output, exact);
    EXPECT_THAT(outcome.leftover, HasSubstr(left.words));
    for (int i = 0; i < 2; ++i) {
      const Outcome after = run(*session, "");
      EXPECT_EQ(after.status, RunStatus::kOk) << after.message;
      EXPECT_EQ(after.leftover, "");
    }
  }
}

TEST(Leftovers, OfOneOfSeveralThreadsAreNamed) {
  const auto session = worker_of("changes_surroundings");
  const Outcome outcome = run(*session, "rounding", {.concurrent = 3});
  EXPECT_EQ(outcome.status, RunStatus::kOk);
  EXPECT_THAT(outcome.leftover, HasSubstr("rounding mode"));
}

TEST(Leftovers, OfAThreadAreNamedInThisProcessToo) {
  const auto session = open_in_process_session(plugin("changes_surroundings"));
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_THAT(run(**session, "rounding").leftover, HasSubstr("rounding mode"));
  EXPECT_EQ(run(**session, "").leftover, "");
}

TEST(Leftovers, ProcessorsThatAThreadIsBoundToAreNamed) {
  if (std::thread::hardware_concurrency() < 2) {
    return;  // all of one are one
  }
  const auto session = worker_of("changes_surroundings");
  EXPECT_EQ(run(*session, "processors").leftover, "");
  EXPECT_THAT(run(*session, "processors").leftover, HasSubstr("left its thread bound to 1 of"));
}

TEST(Leftovers, AHandlerThatALibraryBringsOnceIsNeverNamed) {
  const auto session = worker_of("changes_surroundings");
  EXPECT_EQ(run(*session, "handler").leftover, "");
  for (int i = 0; i < 80; ++i) { EXPECT_EQ(run(*session, "").leftover, ""); }
}

TEST(Leftovers, AHandlerThatComesLaterIsSeenInItsTurn) {
  const auto session = worker_of("changes_surroundings");
  for (int i = 0; i < 5; ++i) { EXPECT_EQ(run(*session, "").leftover, ""); }
  std::string named;
  for (int i = 0; i < 80 && named.empty(); ++i) { named = run(*session, "handler").leftover; }
  EXPECT_THAT(named, HasSubstr("left SIGTERM ignored"));
}

Holdings held_after(Session& session, const std::string& tactic, int calls) {
  const Outcome outcome = run(session, tactic, {.repeats = calls, .count_holdings = true});
  EXPECT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
  EXPECT_TRUE(outcome.holdings);
  return outcome.holdings.value_or(Holdings{});
}

TEST(Holdings, AreCountedWhereTheyAreAskedFor) {
  const auto session = worker_of("holds_more");
  EXPECT_FALSE(run(*session, "").holdings);
  held_after(*session, "", 5);
  const Holdings before = held_after(*session, "", 5);
  EXPECT_GE(before.threads, 1);
  EXPECT_GE(before.descriptors, 4);
  EXPECT_EQ(before.processes, 0);
  EXPECT_EQ(before.files, 0);
  const Holdings after = held_after(*session, "", 5);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.heap_bytes, before.heap_bytes);
  if (!testing::kSanitized) { EXPECT_EQ(after.mapped_bytes, before.mapped_bytes); }
}

TEST(Holdings, GrowByWhatCallsLeaveBehind) {
  constexpr int kCalls = 5;
  const auto session = worker_of("holds_more");
  const auto growth = [&](const char* tactic, std::int64_t Holdings::*count) {
    held_after(*session, "", 1);
    const Holdings before = held_after(*session, "", 1);
    return held_after(*session, tactic, kCalls).*count - before.*count;
  };
  EXPECT_EQ(growth("thread", &Holdings::threads), kCalls);
  EXPECT_EQ(growth("descriptor", &Holdings::descriptors), kCalls);
  if (!testing::kSanitized) { EXPECT_GE(growth("heap", &Holdings::heap_bytes), kCalls * 1000); }
  EXPECT_GE(growth("pages", &Holdings::mapped_bytes), kCalls << 20);
  EXPECT_EQ(growth("ended", &Holdings::ended), kCalls);
  EXPECT_EQ(growth("process", &Holdings::processes), kCalls);
}

TEST(Holdings, HaveTheProcessesThatNobodyIsTheParentOf) {
  const auto session = worker_of("holds_more");
  Holdings held = held_after(*session, "daemon", 1);
  EXPECT_EQ(held.processes, 1);
  EXPECT_EQ(std::string(held.process), "");  // a copy of the worker
}

TEST(Holdings, HaveTheFilesThatStay) {
  const std::string path = "leftovers_test.file";
  setenv("ASSAY_TEST_FILE", path.c_str(), 1);
  const auto session = worker_of("holds_more");
  unsetenv("ASSAY_TEST_FILE");
  EXPECT_EQ(held_after(*session, "", 1).files, 0);
  const Holdings held = held_after(*session, "file", 3);
  EXPECT_EQ(held.files, 1);
  EXPECT_EQ(std::string(held.file), path);
  EXPECT_EQ(held_after(*session, "file", 3).files, 1);
  std::filesystem::remove(path);
  EXPECT_EQ(held_after(*session, "", 3).files, 0);
}

}  // namespace
}  // namespace assay
