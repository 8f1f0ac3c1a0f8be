// A routing without any row writes no Y and no dX, and zeroes (or keeps) every dW.
#include <algorithm>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { std::ranges::fill(spec.rows, 0); }

}  // namespace

Check zero_rows_in_total() {
  return {
      .name = "zero_rows_in_total",
      .sentence =
          "A routing without any row writes no Y and no dX, and zeroes (or keeps) every "
          "dW.",
      .field_bug = "zero-size grids, rejected calls, gradients that are never written (kinds B, C)",
      .not_applicable = always_applies,
      .prepare = prepare,
      .run = judge_case_whole};
}

}  // namespace assay
