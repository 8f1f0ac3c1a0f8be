// Operands with gaps of gigabytes: few pages of memory, and strays are found all the same.
#include <gtest/gtest.h>

#include "src/core/require.h"
#include "src/harness/judge/judge_case.h"
#include "src/harness/memory/arena.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

// x has rows 2^29 bytes apart and more, w experts 2^30 bytes apart.
const char* const kLine =
    "pass=fwd k=8 n=5 rows=3,0,2 tail=1 ld=x:268435456,w:0,y:3 wpitch=536870912 seed=1";

class SparseArena : public testing::TestWithParam<Placement> {
 protected:
  SparseArena() : problem_(problem_of(kLine)) {
    auto made = SharedMemory::create();
    ASSAY_REQUIRE(made.has_value());
    memory_ = std::move(*made);
    arena_ = std::make_unique<Arena>(*memory_);
    ASSAY_REQUIRE(arena_->prepare(problem_, {}, {.placement = GetParam()}).has_value());
  }
  std::vector<MemoryFault> faults() const {
    Outcome outcome;
    arena_->inspect(problem_, outcome);
    return outcome.faults;
  }
  static Index resident_bytes(const Region& region) {
    Index bytes = 0;
    const RegionFile file = region.file();
    for (Index at = file.next_data(0); at < region.bytes();) {
      const Index end = file.next_hole(at);
      bytes += end - at;
      at = file.next_data(end);
    }
    return bytes;
  }

  Problem problem_;
  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<Arena> arena_;
};

TEST_P(SparseArena, HasMemoryForItsRowsOnly) {
  const Region& x = *arena_->region(Area::kX);
  const Region& w = *arena_->region(Area::kW);
  EXPECT_GT(x.bytes(), Index{6} << 29);
  EXPECT_GT(w.bytes(), Index{3} << 30);
  EXPECT_LE(resident_bytes(x), 6 * 2 * kPageBytes);
  EXPECT_LE(resident_bytes(w), 3 * 2 * kPageBytes);
  EXPECT_TRUE(faults().empty());
  EXPECT_LE(resident_bytes(x), 6 * 2 * kPageBytes);
}

TEST_P(SparseArena, FindsAStrayWriteInAHole) {
  arena_->base(Area::kX)[(Index{1} << 29) + 12345] = std::byte{1};
  const auto found = faults();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(describe(found[0]), "a stride gap of x was written at byte 536883257");
}

TEST_P(SparseArena, FindsAStrayWriteBesideARow) {
  arena_->base(Area::kW)[5 * 8 * 2] ^= std::byte{1};
  const auto found = faults();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(describe(found[0]), "a stride gap of w was written at byte 80");
}

TEST_P(SparseArena, FindsAChangedElement) {
  const Index row_pitch_bytes = (8 + (Index{1} << 28)) * 2;
  arena_->base(Area::kX)[3 * row_pitch_bytes + 5] ^= std::byte{1};
  const auto found = faults();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where, MemoryFault::Where::kInput);
  EXPECT_EQ(found[0].expert, 2);
  EXPECT_EQ(found[0].row, 0);
  EXPECT_EQ(found[0].col, 2);
}

TEST_P(SparseArena, AReadOfAHoleIsNoFault) {
  const volatile std::byte* const hole = arena_->base(Area::kW) + (Index{1} << 29);
  const std::byte read = *hole;
  EXPECT_EQ(read, std::byte{0});
  EXPECT_TRUE(faults().empty());
}

TEST_P(SparseArena, ForgetsTheRunBefore) {
  arena_->base(Area::kX)[(Index{1} << 29) + 12345] = std::byte{1};
  ASSERT_TRUE(arena_->prepare(problem_, {}, {.placement = GetParam()}));
  EXPECT_TRUE(faults().empty());
}

INSTANTIATE_TEST_SUITE_P(BothEnds, SparseArena, testing::Values(Placement::kLow, Placement::kHigh),
                         [](const auto& tested) {
                           return tested.param == Placement::kLow ? "Low" : "High";
                         });

TEST(SparseOperands, AreRightInAWorker) {
  const auto session = worker_of("naive");
  for (const char* const line :
       {kLine, "pass=dgrad in=fp32 k=5 n=4 rows=3,2 ld=x:268435456,w:134217728,y:0",
        "pass=wgrad out=fp32 k=5 n=4 rows=3,2 wpitch=1073741824 ld=x:0,w:0,y:268435456"}) {
    const Problem problem = problem_of(line);
    for (const Placement placement : {Placement::kLow, Placement::kHigh}) {
      SCOPED_TRACE(line);
      const Outcome outcome = session->run(problem, {.placement = placement});
      ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
      for (const MemoryFault& fault : outcome.faults) { ADD_FAILURE() << describe(fault); }
      EXPECT_EQ(outcome.output, exact_output(problem));
    }
  }
}

TEST(SparseOperands, BeyondTheAddressSpaceAreNotRun) {
  const auto session = worker_of("naive");
  const Problem problem = problem_of("pass=fwd k=1 n=1 rows=55 ld=x:549755813888,w:0,y:0");
  const Outcome outcome = session->run(problem, {});
  EXPECT_EQ(outcome.status, RunStatus::kNotRun);
  EXPECT_EQ(outcome.message.find("x cannot have 60473139527790 bytes"), 0U) << outcome.message;
}

}  // namespace
}  // namespace assay
