// Guards, stride gaps, padding rows, tail rows and inputs keep every byte.
#include "properties/support/case_run.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  if (spec.tail == 0 && !traits(spec.offsets.convention).has_buffers) {
    spec.tail = 1 + static_cast<Index>(spec.seed % 70);
  }
  if (spec.ld == PerOperand<Index>{}) {
    const Index gap = manifest.ld_multiple * static_cast<Index>(1 + spec.seed % 3);
    spec.ld = {gap, gap, gap};
  }
}

}  // namespace

Check nothing_else_is_written() {
  return {.name = "nothing_else_is_written",
          .sentence = "Guards, stride gaps, padding rows, tail rows and inputs keep every byte.",
          .field_bug =
              "stores past a ragged edge, oversized fills, inputs used as scratch (kinds D, "
              "J, K)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
