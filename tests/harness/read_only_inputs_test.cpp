// What a CPU kernel only reads lies in read-only memory in one placement.
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/harness/judge/judge_case.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

Outcome run(Session& session, const std::string& tactic, Placement placement) {
  const Problem problem = problem_of("pass=fwd k=8 n=6 rows=3,2 seed=1 tactic=" + tactic);
  return session.run(problem, {.placement = placement});
}

TEST(Inputs, AreReadOnlyInOnePlacement) {
  const auto session = worker_of("restores_inputs");
  const std::pair<const char*, const char*> inputs[] = {
      {"x", "SIGSEGV: wrote byte 0 of x, an input (read-only in this placement)"},
      {"w", "SIGSEGV: wrote byte 0 of w, an input (read-only in this placement)"},
      {"offsets", "SIGSEGV: wrote byte 0 of offsets, an input (read-only in this placement)"}};
  for (const auto& [tactic, words] : inputs) {
    SCOPED_TRACE(tactic);
    EXPECT_EQ(run(*session, tactic, Placement::kLow).status, RunStatus::kOk);
    const Outcome outcome = run(*session, tactic, Placement::kHigh);
    EXPECT_EQ(outcome.status, RunStatus::kCrashed);
    EXPECT_EQ(outcome.crash, CrashKind::kInputWritten);
    EXPECT_THAT(outcome.message, HasSubstr(words));
  }
}

TEST(Inputs, AnOutputIsNeverReadOnly) {
  const auto session = worker_of("restores_inputs");
  const char* const lines[] = {"pass=fwd k=8 n=6 rows=3,2 seed=1 tactic=y",
                               "pass=dgrad k=8 n=6 rows=3,2 seed=1 tactic=x",
                               "pass=wgrad out=fp32 acc=2 k=8 n=6 rows=3,2 seed=1 tactic=w",
                               "pass=fwd k=8 n=6 rows=3,2 seed=1 tactic=default"};
  for (int round = 0; round < 2; ++round) {
    for (const char* const line : lines) {
      for (const Placement placement : {Placement::kHigh, Placement::kLow}) {
        const Problem problem = problem_of(line);
        const Outcome outcome = session->run(problem, {.placement = placement});
        EXPECT_EQ(outcome.status, RunStatus::kOk) << line << ": " << outcome.message;
        EXPECT_EQ(outcome.output, exact_output(problem)) << line;
        EXPECT_TRUE(outcome.faults.empty()) << line;
      }
    }
  }
}

}  // namespace
}  // namespace assay
