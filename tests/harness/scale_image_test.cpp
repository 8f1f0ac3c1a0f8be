// Scales as a kernel is handed them.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "src/core/require.h"
#include "src/harness/memory/arena.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

class ScaledCall {
 public:
  explicit ScaledCall(std::string_view line, const Manifest& manifest = {})
      : problem(problem_of(line)) {
    auto made = SharedMemory::create();
    ASSAY_REQUIRE(made.has_value());
    memory = std::move(*made);
    arena = std::make_unique<Arena>(*memory);
    auto prepared = arena->prepare(problem, manifest, {});
    ASSAY_REQUIRE(prepared.has_value());
    record = *prepared;
  }
  float at(const TensorRecord& tensor, std::initializer_list<Index> place) const {
    const std::int64_t* stride = tensor.strides;
    Index offset = 0;
    for (const Index index : place) { offset += index * *stride++; }
    float value = 0;
    std::memcpy(&value, reinterpret_cast<const float*>(tensor.address) + offset, sizeof value);
    return value;
  }
  float dense(Role role, Index row, Index col) const {
    float value = 0;
    std::memcpy(&value, problem.scales[role].element(row, col), sizeof value);
    return value;
  }

  Problem problem;
  std::unique_ptr<SharedMemory> memory;
  std::unique_ptr<Arena> arena;  // in memory
  CallRecord record;
};

constexpr char kRows[] =
    "pass=fwd in=e4m3/block128 out=bf16 k=200 n=300 rows=3,2 offsets=padded_ends pad=4 tail=2 "
    "fill=normal";

TEST(ScaleImage, RowsHaveTheirScalesAtTheirPhysicalPlace) {
  const ScaledCall call(kRows);
  const TensorRecord& scales = call.record.operands.x.scales;
  ASSERT_EQ(scales.dims, 2);
  EXPECT_EQ(scales.shape[0], call.problem.layout.physical_rows);
  EXPECT_EQ(scales.shape[1], 2);
  EXPECT_EQ(call.at(scales, {4, 1}), call.dense(Role::kX, 3, 1));  // expert 1 begins at row 4
  EXPECT_TRUE(std::isnan(call.at(scales, {3, 0})));
  EXPECT_TRUE(std::isnan(call.at(scales, {call.problem.layout.physical_rows - 1, 1})));
}

TEST(ScaleImage, PaddingOfZerosHasScalesOfOne) {
  Manifest manifest;
  manifest.padding_input = PaddingInput::kZeros;
  const ScaledCall call(kRows, manifest);
  EXPECT_EQ(call.at(call.record.operands.x.scales, {3, 0}), 1);
}

TEST(ScaleImage, ThoseOfWeightsFollowTheirLayout) {
  for (const char* const layout : {" weights=enk", " weights=ekn"}) {
    const ScaledCall call(std::string(kRows) + layout);
    const TensorRecord& scales = call.record.operands.w.scales;
    ASSERT_EQ(scales.dims, 3);
    EXPECT_EQ(scales.shape[1], 2);
    EXPECT_EQ(scales.shape[2], 3);
    EXPECT_EQ(scales.strides[1] == 1, layout == std::string_view(" weights=enk"));
    for (Index expert = 0; expert < 2; ++expert) {
      for (Index row = 0; row < 2; ++row) {
        for (Index col = 0; col < 3; ++col) {
          EXPECT_EQ(call.at(scales, {expert, row, col}),
                    call.dense(Role::kW, 2 * expert + row, col));
        }
      }
    }
  }
}

TEST(ScaleImage, PointersNameEachExpertsFirstScale) {
  const ScaledCall call(
      "pass=fwd in=e4m3/block128 out=bf16 k=200 n=300 rows=3,2,4 offsets=problems "
      "pointers=scattered fill=normal seed=5");
  const OperandRecord& x = call.record.operands.x;
  ASSERT_NE(x.scale_pointers, 0u);
  const auto* pointers = reinterpret_cast<const std::uint64_t*>(x.scale_pointers);
  for (Index expert = 0; expert < 3; ++expert) {
    float first = 0;
    std::memcpy(&first, reinterpret_cast<const void*>(pointers[expert]), sizeof first);
    EXPECT_EQ(first, call.dense(Role::kX, call.problem.scales.x.first[expert], 0));
  }
}

TEST(ScaleImage, AWriteToThemIsSeen) {
  const ScaledCall call(kRows);
  Outcome before, after;
  call.arena->inspect(call.problem, before);
  EXPECT_TRUE(before.faults.empty());
  call.arena->base(Area::kWScale)[3] ^= std::byte{1};
  call.arena->inspect(call.problem, after);
  ASSERT_EQ(after.faults.size(), 1u);
  EXPECT_EQ(after.faults[0].operand, "w_scale");
}

}  // namespace
}  // namespace assay
