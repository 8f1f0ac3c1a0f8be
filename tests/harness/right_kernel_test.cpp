// A right kernel through both kinds of session: every case exact, no fault, everything written.
#include <gtest/gtest.h>

#include "src/harness/judge/judge_case.h"
#include "src/harness/memory/unwritten.h"
#include "src/problem/case_text.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

const char* const kLines[] = {
    "pass=fwd k=24 n=17 rows=0,7,5,1 fill=integers seed=1",
    "pass=fwd in=fp32 k=24 n=17 rows=3,0,5 fill=integers weights=ekn tail=3 seed=2",
    "pass=fwd out=fp32 k=9 n=5 rows=3,2 ld=x:8,w:3,y:16 wpitch=7 base=x:2,w:4,y:8 seed=3",
    "pass=dgrad k=24 n=17 rows=0,7,5,1 tail=2 seed=4",
    "pass=dgrad k=8 n=33 rows=4,4 weights=ekn ld=x:1,w:2,y:3 offsets=starts pad=8 seed=5",
    "pass=wgrad k=12 n=10 rows=3,0,6 tail=1 seed=6",
    "pass=wgrad out=fp32 acc=3 k=12 n=10 rows=3,0,6 weights=ekn wpitch=5 seed=7",
    "pass=wgrad out=fp32 acc=1 k=5 n=6 rows=0,0 offsets=problems seed=8",
    "pass=fwd k=16 n=8 rows=5,0,4 offsets=problems pad=4 tail=2 seed=9",
    "pass=dgrad k=16 n=8 rows=5,0,4 offsets=problems weights=ekn seed=10",
    "pass=fwd k=16 n=8 rows=5,0,4,7,2 offsets=problems pad=4 pointers=scattered wpitch=5 seed=13",
    "pass=dgrad k=16 n=8 rows=5,0,4,7,2 offsets=problems pointers=shared seed=14",
    "pass=wgrad k=16 n=8 rows=5,0,4,7,2 offsets=problems tail=1 pointers=scattered seed=15",
    "pass=fwd k=4 n=4 rows=0,0,0 seed=11",
    "pass=fwd k=300 n=200 rows=40,1,90 ld=x:1,w:0,y:2 seed=12"};

void expect_right(Session& session, const char* line) {
  SCOPED_TRACE(line);
  const Problem problem = problem_of(line);
  const std::vector<std::byte> exact = exact_output(problem);
  Outcome outcomes[2];
  for (int poison = 0; poison < 2; ++poison) {
    for (const Placement placement : {Placement::kLow, Placement::kHigh}) {
      Outcome outcome = session.run(problem, {.placement = placement, .poison = poison});
      ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
      for (const MemoryFault& fault : outcome.faults) { ADD_FAILURE() << describe(fault); }
      EXPECT_EQ(outcome.output, exact);
      EXPECT_EQ(outcome.status_word, 0);
      EXPECT_FALSE(first_wrong_empty_gradient(problem, outcome.output));
      outcomes[poison] = std::move(outcome);
    }
  }
  EXPECT_FALSE(first_unwritten(problem, outcomes[0], outcomes[1]));
  EXPECT_NE(outcomes[0].seconds, 0);
}

TEST(RightKernel, IsRightInAWorker) {
  const auto session = worker_of("naive");
  for (const char* const line : kLines) { expect_right(*session, line); }
}

TEST(RightKernel, IsRightInThisProcess) {
  auto session = open_in_process_session(plugin("naive"));
  ASSERT_TRUE(session) << session.error().message;
  for (const char* const line : kLines) { expect_right(**session, line); }
}

TEST(RightKernel, IsAcceptedByTheOracleOnRealValues) {
  const auto session = worker_of("naive");
  for (const char* const line :
       {"pass=fwd k=64 n=40 rows=9,0,30 fill=normal seed=1",
        "pass=dgrad in=fp32 k=20 n=70 rows=9,3 fill=lognormal seed=2",
        "pass=wgrad out=fp32 acc=2 k=20 n=30 rows=19,0,8 fill=positive seed=3"}) {
    SCOPED_TRACE(line);
    const Problem problem = problem_of(line);
    const Outcome outcome = session->run(problem, {});
    ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
    const oracle::Judgement judgement = judge_output(problem, outcome.output, session->manifest());
    EXPECT_EQ(judgement.wrong, 0);
    EXPECT_GT(judgement.elements, 0);
    EXPECT_FALSE(judgement.inconclusive());
  }
}

TEST(RightKernel, ServesSeveralSessionsAtOnce) {
  const auto first = worker_of("naive");
  const auto second = worker_of("naive");
  for (int i = 0; i < 3; ++i) {
    expect_right(*first, kLines[i]);
    expect_right(*second, kLines[i + 3]);
  }
}

TEST(ConcurrentCalls, EachHaveOperandsOfTheirOwn) {
  const auto session = worker_of("meets_others");
  const Problem problem = problem_of("pass=fwd k=3 n=5 rows=4,2 seed=1");
  const Outcome outcome = session->run(problem, {.concurrent = 3});
  ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
  EXPECT_EQ(outcome.output, exact_output(problem));
  ASSERT_EQ(outcome.concurrent_outputs.size(), 2U);
  for (const auto& output : outcome.concurrent_outputs) { EXPECT_EQ(output, outcome.output); }
  EXPECT_TRUE(outcome.faults.empty());
}

TEST(ConcurrentCalls, AreAskedForByTheCase) {
  const auto session = worker_of("meets_others");
  const Problem problem = problem_of("pass=fwd k=2 n=5 rows=4,2 exec=threads:2");
  const Outcome outcome = session->run(problem, {});
  ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
  EXPECT_EQ(outcome.concurrent_outputs.size(), 1U);
}

TEST(Repeats, CallOnTheSameMemory) {
  const auto session = worker_of("counts_calls");
  const Problem problem = problem_of("pass=fwd out=fp32 k=2 n=2 rows=2");
  const Outcome outcome = session->run(problem, {.repeats = 4});
  ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
  EXPECT_EQ(decode(Format::kFp32, load_bits(Format::kFp32, outcome.output.data())), 4);
}

}  // namespace
}  // namespace assay
