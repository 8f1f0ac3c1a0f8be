// ExactPlan: how large and how many the integers of an exact fill may be, so that every partial sum
// in every order is exact.
#pragma once

#include <vector>

#include "src/problem/fill_source.h"

namespace assay {

// Of one expert. A holds ±1..a_most times a_scale, B ±1..b_most times b_scale.
struct ExactPlan {
  int a_most = 1, a_scale = 1;
  int b_most = 1, b_scale = 1;
  Index nonzeros = 0;         // of A along r, at most; the reduction's length: A is dense
  int anchor_exponent = 0;    // each output has +2^this and -2^this; 0: no anchors
  int anchor_exponent_a = 0;  // A's share of it
  int c_most = 0;             // |C|
};
ExactPlan plan_exact(const FillPart& part);

// Positions along r that hold anchors, ascending; empty without anchors.
std::vector<Index> anchor_positions(const FillPart& part, const ExactPlan& plan);

// The sparse pattern of A: for each free index and tile of 64 reduction indices the nonzero ones.
class TilePattern {
 public:
  static constexpr Index kTile = 64;
  TilePattern(Index reduction, Index nonzeros, std::uint64_t state);
  std::uint64_t mask(Index free, Index tile) const;

 private:
  Index reduction_, tiles_;
  Index per_tile_ = 0;  // nonzeros of each tile, when at least 2
  Index every_ = 0;     // else one nonzero in every so many tiles; 0: none
  std::uint64_t state_;
};

}  // namespace assay
