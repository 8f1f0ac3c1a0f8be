// What is lost in each call fails the check; what grows for a while, or comes and goes, does not.
#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/check.h"
#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using testing::FakeSession;
using ::testing::HasSubstr;

// A right kernel whose process holds what `held` says after so many calls.
Verdict verdict_on(const std::function<void(std::int64_t calls, Holdings& held)>& held) {
  std::int64_t calls = 0;
  FakeSession session([&](const Problem&, const RunOptions& options, Index, Outcome& outcome) {
    calls += options.repeats;
    if (!options.count_holdings) { return; }
    outcome.holdings = Holdings{.threads = 1, .descriptors = 4, .heap_bytes = 1 << 20};
    held(calls, *outcome.holdings);
  });
  const Check* const check = find_check("calls_leave_nothing_behind");
  return check->run(session, parse_case("pass=fwd k=9 n=5 rows=7,3 seed=5").value());
}

void expect_failed(const std::function<void(std::int64_t, Holdings&)>& held, const char* words) {
  const Verdict verdict = verdict_on(held);
  EXPECT_EQ(verdict.kind, VerdictKind::kFailed) << words;
  EXPECT_THAT(verdict.reason, HasSubstr(words));
}

void expect_passed(const std::function<void(std::int64_t, Holdings&)>& held, const char* what) {
  const Verdict verdict = verdict_on(held);
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed) << what << ": " << verdict.reason;
}

TEST(CallsLeaveNothingBehind, FailsOnWhatEachCallLoses) {
  expect_failed([](std::int64_t calls, Holdings& held) { held.heap_bytes += 16 * calls; },
                "calls leave bytes of the heap behind: 16 a call");
  expect_failed([](std::int64_t calls, Holdings& held) { held.mapped_bytes += calls << 20; },
                "calls leave bytes of mapped memory behind: 1048576 a call");
  expect_failed([](std::int64_t calls, Holdings& held) { held.threads += 4 * calls; },
                "calls leave threads behind: 4 a call");
  expect_failed([](std::int64_t calls, Holdings& held) { held.descriptors += calls; },
                "calls leave descriptors behind: 1 a call");
  expect_failed([](std::int64_t calls, Holdings& held) { held.ended += calls; },
                "calls leave processes that it never waited for behind: 1 a call");
}

TEST(CallsLeaveNothingBehind, FailsOnAProcessAndOnFilesThatStay) {
  expect_failed([](std::int64_t, Holdings& held) { held.processes = 1; },
                "a process outlives the call that started it");
  expect_failed(
      [](std::int64_t, Holdings& held) {
        held.files = 1;
        held.file[0] = 'f';
      },
      "calls leave files behind: 'f'");
}

TEST(CallsLeaveNothingBehind, NamesTheThreadsAndNotTheirStacks) {
  expect_failed(
      [](std::int64_t calls, Holdings& held) {
        held.threads += calls;
        held.mapped_bytes += calls << 23;
      },
      "calls leave threads behind");
}

TEST(CallsLeaveNothingBehind, LosesNoMoreThanATrialMay) {
  std::int64_t most = 0;
  expect_failed(
      [&](std::int64_t calls, Holdings& held) {
        held.descriptors += 3 * calls;
        most = held.descriptors;
      },
      "descriptors");
  EXPECT_LT(most, 1024);  // the usual limit
}

TEST(CallsLeaveNothingBehind, PassesWhatComesToAnEnd) {
  expect_passed([](std::int64_t, Holdings&) {}, "nothing grows");
  expect_passed([](std::int64_t calls, Holdings& held) { held.threads += calls > 30 ? 16 : 0; },
                "a pool");
  expect_passed([](std::int64_t calls,
                   Holdings& held) { held.heap_bytes += 64 * std::min<std::int64_t>(calls, 600); },
                "a cache that fills");
  expect_passed(
      [](std::int64_t calls, Holdings& held) {
        held.resident_bytes += 246 * std::min<std::int64_t>(calls, 2000);
      },
      "the pages of a pool");
}

// A collector comes every few hundred calls, whatever the number of calls between two looks.
TEST(CallsLeaveNothingBehind, PassesWhatIsCollectedNowAndThen) {
  for (const std::int64_t period : {150, 233, 333, 350, 499, 700}) {
    expect_passed([period](std::int64_t calls,
                           Holdings& held) { held.heap_bytes += 5000 * (calls % period); },
                  "garbage");
  }
}

}  // namespace
}  // namespace assay
