// No value outside an expert's own rows and columns influences an owned element, and no access
// leaves an operand's extent.
#include "properties/support/case_run.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  if (spec.seed % 2 == 0 && !traits(spec.offsets.convention).has_buffers) { spec.tail = 0; }
  if (spec.fill == Fill::kSpecial) { spec.fill = Fill::kIntegers; }
}

}  // namespace

Check nothing_outside_is_read() {
  return {.name = "nothing_outside_is_read",
          .sentence =
              "No value outside an expert's own rows and columns influences an owned element, "
              "and no access leaves an operand's extent.",
          .field_bug =
              "NaN of padding or tail rows bleeding into dW, reads past the last row hidden "
              "by the allocator (kinds E, G, K)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
