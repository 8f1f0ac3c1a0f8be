// Judges a strip of columns of one product: row by row on the screen, element by element where
// that is not sure.
#pragma once

#include <vector>

#include "oracle/element_judge.h"
#include "oracle/fast/screen.h"

namespace assay::oracle {

// Memory that one worker uses again and again.
struct StripScratch {
  BlockMaker maker;
  std::vector<double> got_low, got_high, pad, status, scaled, previous, zeros;
  std::vector<double> rounded[2];
  std::vector<std::uint32_t> got;
  std::vector<double> first_y, first_gauge, first_rounded, last_y, last_gauge;
};

struct Strip {
  Index product = 0, first_col = 0, cols = 0;
};
void judge_strip(const ProductPlan& plan, const Strip& strip, Index block_rows,
                 const JudgeOptions& options, StripScratch& scratch, Tally& tally);

}  // namespace assay::oracle
