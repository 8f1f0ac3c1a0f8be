#include "fuzz/offsets_input.h"

#include <array>
#include <map>

#include <gtest/gtest.h>

#include "src/problem/rng.h"

namespace assay {
namespace {

OffsetsInput random_input(Rng& rng) {
  std::array<std::uint8_t, 96> data{};
  for (std::uint8_t& byte : data) { byte = static_cast<std::uint8_t>(rng.below(256)); }
  ByteReader bytes(data.data(), data.size());
  return read_offsets_input(bytes);
}

// Neither side of the fuzzers' properties may be starved.
TEST(OffsetsInput, EveryConventionIsAcceptedAndRefused) {
  Rng rng(1);
  std::map<Convention, std::pair<int, int>> fates;
  for (int i = 0; i < 20000; ++i) {
    const OffsetsInput input = random_input(rng);
    auto& fate = fates[input.arrays.kind.convention];
    validate_offsets(input.arrays, input.frame) ? ++fate.first : ++fate.second;
  }
  ASSERT_EQ(fates.size(), std::size(kAllConventions));
  for (const auto& [convention, fate] : fates) {
    EXPECT_GE(fate.first, 100) << name(convention);
    EXPECT_GE(fate.second, 100) << name(convention);
  }
}

TEST(StoredGroups, HoldsWhatTheArraysHold) {
  OffsetsInput input;
  input.arrays = {{Convention::kEnds}, {3, 3, 8}, {}};
  input.frame = {.experts = 3, .physical_rows = 8, .k = 1, .n = 1};
  const StoredGroups stored(input);
  ASSERT_TRUE(stored.exact());
  GroupReader reader(stored.arrays());
  EXPECT_EQ(reader.next().count, 3);
  EXPECT_EQ(reader.next().count, 0);
  EXPECT_EQ(reader.next().count, 5);
}

TEST(StoredGroups, SaysWhenAnEntryWasCut) {
  OffsetsInput input;
  input.arrays = {{Convention::kEnds}, {Index{1} << 33}, {}};
  input.frame = {.experts = 1, .physical_rows = 8, .k = 1, .n = 1};
  EXPECT_FALSE(StoredGroups(input).exact());
}

TEST(StoredGroups, ProblemsPointIntoTheirOperand) {
  OffsetsInput input;
  input.arrays = {{Convention::kProblems}, {0, 4}, {3, 5, 6, 2, 5, 6}};
  input.frame = {.experts = 2, .physical_rows = 8, .k = 6, .n = 5};
  const StoredGroups stored(input);
  ASSERT_TRUE(stored.exact());
  GroupReader reader(stored.arrays());
  EXPECT_TRUE(reader.next().valid);
  const RowGroup second = reader.next();
  EXPECT_TRUE(second.valid);
  EXPECT_EQ(second.start, 4);
  EXPECT_EQ(second.count, 2);
}

}  // namespace
}  // namespace assay
