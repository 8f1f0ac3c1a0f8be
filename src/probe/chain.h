// Chain: in which order a kernel adds up one output's products, and how many bits it keeps on the
// way, read off from sums in which large products cancel.
//
// A unit is lost when a product 2^M of the same chain is there while it is added, and its opposite
// comes only later (Xie et al., FPRev, USENIX ATC 2025). Which units survive tells the order, the
// size of a step and the borders of partial sums; the largest M beside which a unit survives is the
// number of fraction bits that are kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/probe/reduction_bench.h"

namespace assay {

struct Chain {
  bool known = false;  // the survivors are those of an order that we know
  bool ascending = true;
  Index step = 1;               // products that are added at once
  std::vector<Index> starts{};  // first product of each partial sum; one: a single chain
  Index length = 0;             // of the sums that were looked at
  Index lines = 0;              // sums that agree with it
  Index strays = 0;             // of the best order known: sums that do not
};
// Nothing: the kernel did not answer, or the format's range is too narrow to lose a unit.
std::optional<Chain> find_chain(ReductionBench& bench, Index length);

// What is kept of a sum whose largest product comes `from` places before its opposite, or later.
struct Level {
  Index from = 0;
  int bits = 0;          // fraction bits; -1: more than the format's range shows
  bool nearest = false;  // rounded to nearest; else cut
};
// From the shortest distance to the longest; each level keeps fewer bits than the one before.
std::vector<Level> find_levels(ReductionBench& bench, const Chain& chain);

}  // namespace assay
