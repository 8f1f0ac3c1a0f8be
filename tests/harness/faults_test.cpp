// A byte that changed and should not have is found and named, wherever it lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/harness/judge/judge_case.h"
#include "src/harness/memory/poison.h"
#include "src/harness/memory/unwritten.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using Where = MemoryFault::Where;

// Starts at 0 and 8, padding rows 3..7 and 10..15, tail rows 16 and 17.
const char* const kLine =
    "pass=fwd k=8 n=6 rows=3,2 offsets=starts pad=8 tail=2 ld=x:0,w:0,y:4 seed=1 tactic=";

MemoryFault only_fault(const char* tactic, const RunOptions& options) {
  const auto session = worker_of("scribbles");
  const Problem problem = problem_of(std::string(kLine) + tactic);
  const Outcome outcome = session->run(problem, options);
  EXPECT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
  EXPECT_EQ(outcome.output, exact_output(problem));
  if (outcome.faults.size() != 1) {
    ADD_FAILURE() << tactic << ": " << outcome.faults.size() << " faults";
    return {};
  }
  return outcome.faults[0];
}

void expect_fault(const char* tactic, const RunOptions& options, Where where,
                  const std::string& words) {
  const MemoryFault fault = only_fault(tactic, options);
  EXPECT_EQ(fault.where, where) << tactic;
  EXPECT_EQ(describe(fault), words);
}

constexpr RunOptions kLow{.placement = Placement::kLow};
constexpr RunOptions kHigh{.placement = Placement::kHigh, .poison = 1};

TEST(MemoryFaults, AChangedInputIsNamedByItsElement) {
  expect_fault("x", kLow, Where::kInput,
               "an input was changed: row 0 of expert 1 of x, column 2 (byte 132)");
  expect_fault("w", kLow, Where::kInput,
               "an input was changed: row 0 of expert 0 of w, column 0 (byte 1)");
}

TEST(MemoryFaults, AChangedOffsetIsFound) {
  expect_fault("offsets", kLow, Where::kOffsets, "the array offsets was changed at byte 1");
}

TEST(MemoryFaults, AWriteIntoAGapOrARowOfNobodyIsFound) {
  for (const RunOptions& options : {kLow, kHigh}) {
    expect_fault("gap", options, Where::kGap, "a stride gap of y was written at byte 13");
    expect_fault("tail", options, Where::kTailRow,
                 "a tail row was written: row 17 of y, column 1 (byte 342)");
    expect_fault("padding", options, Where::kPaddingRow,
                 "a padding row was written: row 2 of expert 1 of y, column 0 (byte 200)");
  }
}

TEST(MemoryFaults, AWriteNearAnOperandIsFound) {
  expect_fault("above", kLow, Where::kGuard,
               "memory past the end of y was written, at byte 367 of it");
  expect_fault("below", kHigh, Where::kGuard, "memory 3 bytes below y was written");
  expect_fault("workspace", kLow, Where::kWorkspaceGuard,
               "memory past the end of workspace was written, at byte 100 of it");
}

TEST(ZeroedRows, AreDemandedWhereTheyArePromised) {
  const auto session = worker_of("zeroes_padding");
  const Outcome right = session->run(
      problem_of("pass=fwd k=2 n=6 rows=3,2 offsets=starts pad=8 tail=2 ld=y:4 seed=1"), {});
  ASSERT_EQ(right.status, RunStatus::kOk) << right.message;
  EXPECT_TRUE(right.faults.empty());
  EXPECT_EQ(right.not_owned, std::vector<std::byte>((5 + 6 + 2) * 6 * 2));
  const Outcome wrong = session->run(
      problem_of("pass=fwd k=1 n=6 rows=3,2 offsets=starts pad=8 tail=2 ld=y:4 seed=1"), {});
  ASSERT_EQ(wrong.faults.size(), 1U);
  EXPECT_EQ(describe(wrong.faults[0]),
            "a tail row was not zeroed: row 17 of y, column 0 (byte 340)");
}

TEST(Unwritten, ElementsAreFoundByTwoPoisons) {
  const auto session = worker_of("skips_last");
  for (const char* const line :
       {"pass=fwd k=8 n=5 rows=3,2 seed=1", "pass=dgrad k=5 n=5 rows=3,2 seed=1",
        "pass=wgrad out=fp32 k=5 n=2 rows=3,2 seed=1"}) {
    SCOPED_TRACE(line);
    const Problem problem = problem_of(line);
    const Outcome first = session->run(problem, {.poison = 0});
    const Outcome second = session->run(problem, {.placement = Placement::kHigh, .poison = 1});
    const auto unwritten = first_unwritten(problem, first, second);
    ASSERT_TRUE(unwritten);
    EXPECT_EQ(unwritten->expert, 1);
    EXPECT_EQ(unwritten->row, 0);
    EXPECT_EQ(unwritten->col, 0);
    EXPECT_EQ(unwritten->elements, 10);
  }
}

TEST(Unwritten, AnElementThatHoldsOnePoisonOnlyWasWritten) {
  const Problem problem = problem_of("pass=fwd k=2 n=3 rows=1 seed=1");
  Outcome runs[2];
  for (int poison = 0; poison < 2; ++poison) {
    runs[poison].output.resize(6);
    store_bits(Format::kBf16, runs[poison].output.data(), unwritten_bits(Format::kBf16, 0));
    store_bits(Format::kBf16, runs[poison].output.data() + 2, unwritten_bits(Format::kBf16, 1));
  }
  EXPECT_FALSE(first_unwritten(problem, runs[0], runs[1]));
  store_bits(Format::kBf16, runs[1].output.data(), unwritten_bits(Format::kBf16, 1));
  const auto unwritten = first_unwritten(problem, runs[0], runs[1]);
  ASSERT_TRUE(unwritten);
  EXPECT_EQ(unwritten->elements, 1);
}

TEST(Unwritten, DescribesTheFirstOfThem) {
  EXPECT_EQ(describe(UnwrittenElement{"y", 2, 3, 4, 7}),
            "7 elements of y were never written, first row 3 column 4 of expert 2");
  EXPECT_EQ(describe(UnwrittenElement{"w", 0, 0, 0, 1}),
            "1 element of w was never written, first row 0 column 0 of expert 0");
}

TEST(KeptArena, KeepsOwnedBytesAndNothingElse) {
  const auto session = worker_of("skips_last");
  const Problem problem = problem_of("pass=fwd k=8 n=5 rows=3,2 tail=1 seed=1");
  const Outcome first = session->run(problem, {.poison = 0});
  const Outcome kept = session->run(problem, {.poison = 1, .keep_arena = true});
  EXPECT_EQ(kept.output, first.output);
  EXPECT_NE(kept.not_owned, first.not_owned);
  EXPECT_TRUE(kept.faults.empty());
}

}  // namespace
}  // namespace assay
