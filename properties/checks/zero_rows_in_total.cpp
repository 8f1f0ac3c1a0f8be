// A routing without any row writes no Y and no dX, and zeroes (or keeps) every dW.
#include <algorithm>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { std::ranges::fill(spec.rows, 0); }

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 89, .quick = 12, .ci = 57, .peers = 38, .full = 192},
    {.generator = "conventions", .seed = 90, .quick = 8, .ci = 38, .peers = 26, .full = 128},
};

}  // namespace

Check zero_rows_in_total() {
  return {
      .name = "zero_rows_in_total",
      .summary =
          "A routing without any row writes no Y and no dX, and zeroes (or keeps) every "
          "dW.",
      .guards_against =
          "zero-size grids, rejected calls, gradients that are never written (kinds B, C)",
      .advice =
          "A call without any row must write nothing in fwd and dX and zeros in dW, and must not "
          "fail. Look for a grid of zero blocks and for a division by the number of rows.",
      .order = 270,
      .draws = kDraws,
      .not_applicable = always_applies,
      .prepare = prepare,
      .run = judge_case_whole};
}

}  // namespace assay
