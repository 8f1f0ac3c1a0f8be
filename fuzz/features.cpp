#include "fuzz/features.h"

#include <array>
#include <cstddef>

#include "src/core/require.h"
#include "src/problem/case_spec.h"

namespace assay {
namespace {

struct GroupSize {
  FeatureGroup group;
  Index buckets;
};

constexpr GroupSize kSizes[kFeatureGroups] = {
    {FeatureGroup::kConvention, 14 * 3 * 2},
    {FeatureGroup::kFormats, 3 * kInputKinds* std::ssize(kAllFormats) * 2},
    {FeatureGroup::kFill, std::size(kAllFills) * 3},
    {FeatureGroup::kTactic, 16 * 3},
    {FeatureGroup::kEmptyRun, 4 * kLog2Buckets},
    {FeatureGroup::kRowTail, 3 * kPlaceBuckets},
    {FeatureGroup::kColumnTail, 3 * kPlaceBuckets},
    {FeatureGroup::kDepthTail, 3 * kPlaceBuckets},
    {FeatureGroup::kStartInTile, 3 * kPlaceBuckets},
    {FeatureGroup::kGroupsInTile, kLog2Buckets},
    {FeatureGroup::kTiles, 3 * kLog2Buckets},
    {FeatureGroup::kDepthTiles, 3 * kLog2Buckets},
    {FeatureGroup::kExperts, kLog2Buckets},
    {FeatureGroup::kExtras, 32 * 3},
    {FeatureGroup::kErrorOverBound, 3 * kInputKinds* kRatioBuckets},
    {FeatureGroup::kVerdict, 8},
    {FeatureGroup::kSchedule, 256},
};

constexpr std::array<Index, kFeatureGroups + 1> first_buckets() {
  std::array<Index, kFeatureGroups + 1> first{};
  for (int i = 0; i < kFeatureGroups; ++i) { first[i + 1] = first[i] + kSizes[i].buckets; }
  return first;
}
constexpr auto kFirst = first_buckets();

// libFuzzer clears the array word by word: its size is a multiple of 8.
constexpr std::size_t kCounters = 2048;
static_assert(kFirst[kFeatureGroups] <= static_cast<Index>(kCounters) && kCounters % 8 == 0);

constexpr bool table_is_in_order() {
  for (int i = 0; i < kFeatureGroups; ++i) {
    if (static_cast<int>(kSizes[i].group) != i) { return false; }
  }
  return true;
}
static_assert(table_is_in_order());

// libFuzzer reads and clears these around every run; it finds them by the section's name.
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[kCounters];

std::array<bool, kCounters> reached{};

}  // namespace

Index buckets_of(FeatureGroup group) { return kSizes[static_cast<std::size_t>(group)].buckets; }

void mark_feature(FeatureGroup group, Index bucket) {
  ASSAY_REQUIRE(bucket >= 0 && bucket < buckets_of(group), static_cast<int>(group), bucket);
  const auto at = static_cast<std::size_t>(kFirst[static_cast<std::size_t>(group)] + bucket);
  counters[at] = 1;
  reached[at] = true;
}

Index features_reached(FeatureGroup group) {
  Index count = 0;
  const auto g = static_cast<std::size_t>(group);
  for (Index i = kFirst[g]; i < kFirst[g + 1]; ++i) { count += reached[i]; }
  return count;
}

Index features_reached() {
  Index count = 0;
  for (const GroupSize& size : kSizes) { count += features_reached(size.group); }
  return count;
}

Index log2_bucket(Index count) {
  if (count < 4) { return count < 0 ? 0 : count; }
  Index bucket = 2;
  for (Index rest = count; rest > 1 && bucket < kLog2Buckets; rest /= 2) { ++bucket; }
  return bucket < kLog2Buckets ? bucket : kLog2Buckets - 1;
}

Index ratio_bucket(double ratio) {
  if (!(ratio <= 1)) { return kRatioBuckets - 1; }
  if (ratio == 0) { return 0; }
  Index bucket = kRatioBuckets - 2;
  for (double edge = 0.5; bucket > 1 && ratio < edge; edge /= 2) { --bucket; }
  return bucket;
}

Index place_bucket(Index place, Index block) {
  if (place < 4) { return place < 0 ? 0 : place; }
  if (block - place <= 3) {
    return kPlaceBuckets - 1 - (block - place > 0 ? block - place - 1 : 0);
  }
  return 4 + place * 8 / block;
}

}  // namespace assay
