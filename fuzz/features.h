// Features: what an input reached, told to libFuzzer through its extra counters, so that a case
// that meets a new shape of schedule, or a larger error, is kept although it runs no new code.
#pragma once

#include <cstdint>
#include <iterator>

#include "src/core/index.h"
#include "src/problem/format.h"

namespace assay {

// One for each format of both inputs, and one for inputs that differ.
inline constexpr Index kInputKinds = std::ssize(kAllFormats) + 1;

// Each group has a fixed number of buckets; the table in features.cpp holds it.
enum class FeatureGroup : std::uint8_t {
  kConvention,      // convention kind x pass x weights
  kFormats,         // pass x inputs x out x accumulating
  kFill,            // fill x pass
  kTactic,          // tactic x pass
  kEmptyRun,        // place (front, middle, end, all) x log2 of its length
  kRowTail,         // pass x bucketed height of an expert's last tile
  kColumnTail,      // pass x bucketed width of the last tile
  kDepthTail,       // pass x bucketed depth of the last k tile
  kStartInTile,     // pass x bucketed start of an expert within its tile height
  kGroupsInTile,    // log2 of the experts that meet one block of tile height
  kTiles,           // pass x log2 of tiles
  kDepthTiles,      // pass x log2 of k tiles
  kExperts,         // log2
  kExtras,          // pad, tail, ld, wpitch, base present or not x pass
  kErrorOverBound,  // pass x inputs x log2 bucket
  kVerdict,         // kind of the verdict
  kSchedule         // fuzz_schedule, fuzz_offsets: convention x what became of the arrays
};
inline constexpr int kFeatureGroups = 17;

// Marks a bucket of the current run. Requires: 0 <= bucket < buckets_of(group).
void mark_feature(FeatureGroup group, Index bucket);
Index buckets_of(FeatureGroup group);

// Distinct features marked since the start of the process.
Index features_reached();
Index features_reached(FeatureGroup group);

// 0, 1, 2, 3, then by doubling: at most 16 for counts below 2^14; larger ones are 16.
Index log2_bucket(Index count);
inline constexpr Index kLog2Buckets = 17;
// Error over bound: 0 for none, then by doublings from 2^-14 on; 16 is above the bound.
Index ratio_bucket(double ratio);
inline constexpr Index kRatioBuckets = 17;
// A position in a block: 0, 1, 2, 3, middle ones by eighths, then the last three.
Index place_bucket(Index place, Index block);
inline constexpr Index kPlaceBuckets = 15;

}  // namespace assay
