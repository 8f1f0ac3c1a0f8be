#include "src/harness/memory/arena.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "src/core/require.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

constexpr Area kAllAreas[] = {Area::kX,
                              Area::kW,
                              Area::kY,
                              Area::kOffsets,
                              Area::kSizes,
                              Area::kXPtrs,
                              Area::kWPtrs,
                              Area::kYPtrs,
                              Area::kWorkspace,
                              Area::kStatus,
                              Area::kXScale,
                              Area::kWScale,
                              Area::kYScale,
                              Area::kXScalePtrs,
                              Area::kWScalePtrs,
                              Area::kYScalePtrs,
                              Area::kXTensorScale,
                              Area::kWTensorScale,
                              Area::kYTensorScale,
                              Area::kBias};
static_assert(std::size(kAllAreas) == kAreas);
constexpr Role kRoles[] = {Role::kX, Role::kW, Role::kY};

struct Prepared {
  explicit Prepared(std::string_view line, const RunOptions& options = {}, Manifest contract = {})
      : problem(problem_of(line)), manifest(std::move(contract)) {
    auto made = SharedMemory::create();
    ASSAY_REQUIRE(made.has_value());
    memory = std::move(*made);
    arena = std::make_unique<Arena>(*memory);
    again(options);
  }
  void again(const RunOptions& options) {
    auto prepared = arena->prepare(problem, manifest, options);
    ASSAY_REQUIRE(prepared.has_value());
    record = *prepared;
  }
  Outcome inspect() const {
    Outcome outcome;
    arena->inspect(problem, outcome);
    return outcome;
  }
  const std::byte* at(const TensorRecord& tensor, std::initializer_list<Index> place,
                      Index element_bytes) const {
    const std::int64_t* stride = tensor.strides;
    Index offset = 0;
    for (const Index index : place) { offset += index * *stride++; }
    return reinterpret_cast<const std::byte*>(tensor.address) + offset * element_bytes;
  }

  Problem problem;
  Manifest manifest;
  std::unique_ptr<SharedMemory> memory;
  std::unique_ptr<Arena> arena;
  CallRecord record;
};

const char* const kLines[] = {
    "pass=fwd k=24 n=17 rows=0,7,5,1 seed=1",
    "pass=dgrad in=fp32 k=3 n=5 rows=3,0,2 weights=ekn ld=x:3,w:1,y:2 wpitch=9 tail=2 seed=2",
    "pass=wgrad out=fp32 acc=1 k=4 n=6 rows=5,1 offsets=problems pad=4 base=x:2,w:4,y:6 seed=3",
    "pass=fwd k=5 n=3 rows=2,0,4 offsets=masked cap=6 ld=x:0,w:0,y:1 seed=4",
    "pass=fwd bias=fp16 k=5 n=3 rows=2,0,4 seed=9",
    "pass=wgrad k=7 n=2 rows=0,0 offsets=starts:i64 seed=5",
    "pass=wgrad in=e4m3/mx out=fp32 k=7 n=40 rows=40,0,3 offsets=problems seed=6",
    "pass=fwd in=x:bf16,w:e2m1/mx k=6 n=5 rows=4,0,3 ld=x:1,w:4,y:0 wpitch=2 tail=3 seed=7",
    "pass=dgrad in=e2m1 out=fp32 k=5 n=8 rows=4,1 weights=ekn ld=x:0,w:2,y:6 seed=8"};

TEST(Arena, OperandsLieFlushWithAGuardPage) {
  for (const char* const line : kLines) {
    SCOPED_TRACE(line);
    Prepared low(line, {.placement = Placement::kLow});
    Prepared high(line, {.placement = Placement::kHigh});
    for (const Role role : kRoles) {
      const Index missed = low.problem.spec.base[role];
      const Region& below = *low.arena->region(area_of(role));
      EXPECT_EQ(low.arena->base(area_of(role)) - below.data(), missed);
      const Region& above = *high.arena->region(area_of(role));
      const OperandPlan plan = *plan_operand(high.problem, role);
      const auto begin = high.arena->base(area_of(role)) - above.data();
      EXPECT_EQ(begin % 16, missed % 16);
      EXPECT_LT(above.bytes() - begin - plan.extent_bytes, 16);
      EXPECT_GE(above.bytes() - begin - plan.extent_bytes, 0);
    }
    const Region& offsets = *high.arena->region(Area::kOffsets);
    const Index bytes = high.record.offsets.dims > 0
                            ? high.record.offsets.shape[0] * high.record.offsets.bits / 8
                            : high.record.sizes.shape[0] * 3 * 4;
    EXPECT_EQ(high.arena->base(Area::kOffsets) + bytes, offsets.data() + offsets.bytes());
  }
}

TEST(Arena, KeepsTheAlignmentThatAKernelDeclares) {
  Manifest manifest;
  manifest.base_bytes = 128;
  Prepared high("pass=fwd k=3 n=3 rows=5 base=x:4,w:0,y:0", {.placement = Placement::kHigh},
                manifest);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(high.arena->base(Area::kX)) % 128, 4U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(high.arena->base(Area::kY)) % 128, 0U);
}

// The code of column `col`, of two in a byte the low half first.
std::uint32_t code_at(Format format, const std::byte* found, Index col) {
  const std::uint32_t bits = load_bits(format, found);
  return traits(format).packed() == 1 ? bits : (col % 2 == 0 ? bits & 15 : bits >> 4);
}

TEST(Arena, TheCallFindsEveryElement) {
  for (const char* const line : kLines) {
    for (const Placement placement : {Placement::kLow, Placement::kHigh}) {
      SCOPED_TRACE(line);
      Prepared p(line, {.placement = placement});
      const auto& spec = p.problem.spec;
      for (const Role role : kRoles) {
        if (role == output_role(spec.pass) && spec.acc == 0) { continue; }
        const DenseOperand& dense = p.problem.operands[role];
        const Index bytes = size_bytes(dense.format), packed = traits(dense.format).packed();
        for (Index row = 0; row < dense.rows; ++row) {
          for (Index col = 0; col < dense.cols; ++col) {
            const std::byte* found = nullptr;
            if (role == Role::kW) {
              const Index each = dense.rows / spec.experts();
              found =
                  p.at(p.record.operands.w.elements, {row / each, row % each, col / packed}, bytes);
            } else {
              Index expert = 0;
              while (p.problem.dense_starts[expert + 1] <= row) { ++expert; }
              const Index physical =
                  p.problem.layout.starts[expert] + row - p.problem.dense_starts[expert];
              found = p.at(
                  role == Role::kX ? p.record.operands.x.elements : p.record.operands.y.elements,
                  {physical, col / packed}, bytes);
            }
            ASSERT_EQ(code_at(dense.format, found, col),
                      load_bits(dense.format, dense.element(row, col)));
          }
        }
      }
    }
  }
}

TEST(Arena, TheBiasIsThereAndLiesFlush) {
  for (const Placement placement : {Placement::kLow, Placement::kHigh}) {
    Manifest manifest;
    manifest.base_bytes = 2;
    Prepared p("pass=fwd bias=fp16 k=5 n=3 rows=2,0,4", {.placement = placement}, manifest);
    const DenseOperand& bias = p.problem.bias;
    ASSERT_EQ(bias.rows, 3);
    for (Index expert = 0; expert < bias.rows; ++expert) {
      for (Index col = 0; col < bias.cols; ++col) {
        EXPECT_EQ(load_bits(bias.format, p.at(p.record.bias, {expert, col}, 2)),
                  load_bits(bias.format, bias.element(expert, col)));
      }
    }
    const Region& region = *p.arena->region(Area::kBias);
    const std::byte* const base = p.arena->base(Area::kBias);
    if (placement == Placement::kLow) {
      EXPECT_EQ(base, region.data());
    } else {
      EXPECT_EQ(base + bias.bits.size(), region.data() + region.bytes());
    }
  }
}

TEST(Arena, ScatteredPointersLeadToTheExpertsOwnElements) {
  for (const char* const pointers : {"scattered", "shared"}) {
    Prepared p(std::string("pass=fwd k=5 n=4 rows=3,0,2,1,2 offsets=problems pad=2 wpitch=3 "
                           "ld=x:1,w:2,y:0 seed=6 pointers=") +
               pointers);
    const CaseSpec& spec = p.problem.spec;
    const std::uint64_t arrays[] = {p.record.operands.x.pointers, p.record.operands.w.pointers};
    for (const Role role : {Role::kX, Role::kW}) {
      const DenseOperand& dense = p.problem.operands[role];
      const auto* at = reinterpret_cast<const std::uint64_t*>(arrays[role == Role::kX ? 0 : 1]);
      for (Index expert = 0; expert < spec.experts(); ++expert) {
        const Index rows = role == Role::kX ? spec.rows[expert] : spec.n;
        const Index first = role == Role::kX ? p.problem.dense_starts[expert] : expert * spec.n;
        for (Index row = 0; row < rows; ++row) {
          const auto* found = reinterpret_cast<const std::byte*>(at[expert]) +
                              row * row_pitch(spec, role) * size_bytes(dense.format);
          ASSERT_EQ(std::memcmp(found, dense.element(first + row, 0), 5 * 2), 0) << expert;
        }
      }
    }
    EXPECT_TRUE(p.inspect().faults.empty());
  }
}

TEST(Arena, PointersOfProblemsAreTheExpertsFirstElements) {
  Prepared p(kLines[2]);
  const auto* x = reinterpret_cast<const std::uint64_t*>(p.record.operands.x.pointers);
  const auto* w = reinterpret_cast<const std::uint64_t*>(p.record.operands.w.pointers);
  const auto* y = reinterpret_cast<const std::uint64_t*>(p.record.operands.y.pointers);
  const auto* sizes = reinterpret_cast<const std::int32_t*>(p.record.sizes.address);
  EXPECT_EQ(p.record.offsets.dims, 0);
  EXPECT_EQ(p.record.sizes.dims, 2);
  EXPECT_EQ(x[1], p.record.operands.x.elements.address + 8 * 4 * 2);
  EXPECT_EQ(w[1], p.record.operands.w.elements.address + 4 * 6 * 4);
  EXPECT_EQ(y[1], p.record.operands.y.elements.address + 8 * 6 * 2);
  EXPECT_EQ(sizes[2], 5);
  EXPECT_EQ(sizes[5], 1);
}

TEST(Arena, SameCaseSameBytesWhateverRanBefore) {
  Prepared fresh(kLines[1], {.placement = Placement::kHigh, .poison = 1});
  Prepared used(kLines[1], {.placement = Placement::kLow, .poison = 0});
  const Problem kept = used.problem;
  used.problem = problem_of("pass=fwd in=fp32 k=20 n=9 rows=9,9 tail=4");
  used.again({.placement = Placement::kHigh, .poison = 0});
  used.problem = kept;
  used.again({.placement = Placement::kHigh, .poison = 1});
  for (const Area area : {Area::kX, Area::kW, Area::kY, Area::kOffsets, Area::kStatus}) {
    const Region& first = *fresh.arena->region(area);
    const Region& second = *used.arena->region(area);
    ASSERT_EQ(first.bytes(), second.bytes());
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.bytes()), 0) << name(area);
  }
}

TEST(Arena, PoisonDiffersFromRunToRunAndIsNeverAnOrdinaryNumber) {
  const char* const line = "pass=fwd k=6 n=3 rows=2,3 ld=x:5,w:2,y:3 tail=2 seed=1";
  Prepared first(line, {.poison = 0});
  Prepared second(line, {.poison = 1});
  // Gaps, tail rows and slack of x, as bf16.
  const Region& region = *first.arena->region(Area::kX);
  int poisoned = 0;
  for (Index byte = 0; byte < region.bytes(); byte += 2) {
    const std::uint32_t bits = load_bits(Format::kBf16, region.data() + byte);
    const std::uint32_t other =
        load_bits(Format::kBf16, second.arena->region(Area::kX)->data() + byte);
    const Index row = byte / 22, col = byte % 22 / 2;
    if (row < 5 && col < 6) {
      ASSERT_EQ(bits, other);
      continue;
    }
    ++poisoned;
    ASSERT_NE(bits, other) << byte;
    const double value = std::fabs(decode(Format::kBf16, bits));
    ASSERT_TRUE(std::isnan(value) || value >= traits(Format::kBf16).max_finite) << value;
  }
  EXPECT_EQ(poisoned, 2048 - 5 * 6);
}

TEST(Arena, PaddingRowsOfInputsAreZeroWhereTheManifestAsks) {
  Manifest manifest;
  manifest.padding_input = PaddingInput::kZeros;
  Prepared p("pass=fwd k=6 n=3 rows=2,3 offsets=starts pad=4 tail=1", {}, manifest);
  for (Index row = 0; row < 9; ++row) {
    bool zero = true;
    for (Index col = 0; col < 6; ++col) {
      zero =
          zero && load_bits(Format::kBf16, p.at(p.record.operands.x.elements, {row, col}, 2)) == 0;
    }
    EXPECT_EQ(zero, row == 2 || row == 3 || row == 7) << row;
  }
  EXPECT_TRUE(p.inspect().faults.empty());
}

TEST(Arena, RowsUpToARowMultipleArePaddingAndTheTailBeginsAfter) {
  Manifest manifest;
  manifest.padding_input = PaddingInput::kZeros;
  manifest.row_multiple = 4;
  manifest.padding_rows = UnownedRows::kUndefined;
  Prepared p("pass=fwd k=6 n=3 rows=3,0 offsets=row_ids tail=5", {}, manifest);
  for (Index row = 0; row < 8; ++row) {
    bool zero = true;
    for (Index col = 0; col < 6; ++col) {
      zero =
          zero && load_bits(Format::kBf16, p.at(p.record.operands.x.elements, {row, col}, 2)) == 0;
    }
    EXPECT_EQ(zero, row == 3) << row;
  }
  constexpr Index kRowBytes = 6;
  p.arena->base(Area::kY)[3 * kRowBytes] ^= std::byte{1};
  EXPECT_TRUE(p.inspect().faults.empty());
  p.arena->base(Area::kY)[4 * kRowBytes] ^= std::byte{1};
  const Outcome outcome = p.inspect();
  ASSERT_EQ(outcome.faults.size(), 1U);
  EXPECT_EQ(outcome.faults[0].where, MemoryFault::Where::kTailRow);
}

TEST(Arena, TheWorkspaceIsAsLargeAndAsAlignedAsDeclared) {
  Manifest manifest;
  manifest.workspace_formula = Formula::parse("4 * rows + experts").value();
  manifest.workspace_alignment = 32;
  for (const Placement placement : {Placement::kLow, Placement::kHigh}) {
    Prepared p("pass=fwd k=6 n=3 rows=3,4", {.placement = placement}, manifest);
    EXPECT_EQ(p.record.workspace_bytes, 30U);
    EXPECT_EQ(p.record.workspace % 64, 32U);
    EXPECT_TRUE(p.inspect().faults.empty());
  }
}

// Whether a byte is one that the kernel may write: owned output, workspace, status word.
bool may_change(const Prepared& p, Area area, Index offset, const OperandPlan& output) {
  if (offset < 0) { return false; }
  if (area == Area::kWorkspace) { return offset < static_cast<Index>(p.manifest.workspace_bytes); }
  if (area == Area::kStatus) { return offset < 4; }
  if (area != area_of(output_role(p.problem.spec.pass))) { return false; }
  for (const RowBlock& block : output.blocks) {
    if (block.kind != RowBlock::Kind::kReal) { continue; }
    const Index in_block = offset - block.byte;
    if (in_block >= 0 && in_block < block.rows * output.pitch_bytes &&
        in_block % output.pitch_bytes < output.row_bytes) {
      return true;
    }
  }
  return false;
}

TEST(Arena, EveryByteThatNobodyMayWriteIsWatched) {
  Manifest manifest;
  manifest.workspace_bytes = 300;
  int watched = 0;
  for (const char* const line : kLines) {
    for (const Placement placement : {Placement::kLow, Placement::kHigh}) {
      Prepared p(line, {.placement = placement, .poison = 1}, manifest);
      const OperandPlan output = *plan_operand(p.problem, output_role(p.problem.spec.pass));
      ASSERT_TRUE(p.inspect().faults.empty()) << line;
      for (const Area area : kAllAreas) {
        const Region* const region = p.arena->region(area);
        if (region == nullptr) { continue; }
        const Index begin = p.arena->base(area) - region->data();
        for (Index byte = 0; byte < region->bytes(); ++byte) {
          region->data()[byte] ^= std::byte{0x10};
          const Outcome outcome = p.inspect();
          region->data()[byte] ^= std::byte{0x10};
          if (may_change(p, area, byte - begin, output)) {
            ASSERT_TRUE(outcome.faults.empty()) << line << ' ' << name(area) << ' ' << byte - begin;
            continue;
          }
          ++watched;
          ASSERT_EQ(outcome.faults.size(), 1U) << line << ' ' << name(area) << ' ' << byte - begin;
          ASSERT_EQ(outcome.faults[0].operand, name(area));
          ASSERT_EQ(outcome.faults[0].byte, byte - begin);
        }
      }
    }
  }
  EXPECT_GT(watched, 200000);
}

TEST(Arena, LargeOperandsAreWrittenAndComparedWhole) {
  Prepared p("pass=fwd k=1500 n=1700 rows=900,0,800 ld=x:0,w:1,y:0 tail=1",
             {.placement = Placement::kHigh});
  EXPECT_TRUE(p.inspect().faults.empty());
  const Region& w = *p.arena->region(Area::kW);
  EXPECT_GT(w.bytes(), Index{14} << 20);
  p.arena->base(Area::kW)[2 * 1501 * 1700 * 2 + 3] ^= std::byte{1};
  p.arena->base(Area::kX)[1701 * 3000 - 1] ^= std::byte{1};
  const Outcome outcome = p.inspect();
  ASSERT_EQ(outcome.faults.size(), 1U);  // both are inputs: the first of a kind is enough
  EXPECT_EQ(outcome.faults[0].operand, "x");
  EXPECT_EQ(outcome.faults[0].row, 1700);
  EXPECT_EQ(outcome.faults[0].col, 1499);
}

TEST(Arena, TwoSessionsNeverShareAnAddress) {
  Prepared first(kLines[0]);
  Prepared second(kLines[0]);
  for (const RegionPlace& a : first.arena->regions()) {
    for (const RegionPlace& b : second.arena->regions()) {
      EXPECT_FALSE(a.in_window(b.address));
      EXPECT_FALSE(b.in_window(a.address));
    }
  }
}

TEST(Arena, RefusesATacticThatDoesNotFitTheCall) {
  Prepared p(kLines[0]);
  p.problem.spec.tactic = std::string(128, 't');
  const auto refused = p.arena->prepare(p.problem, p.manifest, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find("tactic 'ttt"), 0U);
}

}  // namespace
}  // namespace assay
