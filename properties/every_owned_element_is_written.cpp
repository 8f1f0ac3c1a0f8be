// Every element that the contract says is written holds something else than two different
// poisons.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  spec.acc = 0;
  if (spec.fill == Fill::kSpecial) { spec.fill = Fill::kNormal; }
}

}  // namespace

Check every_owned_element_is_written() {
  return {.name = "every_owned_element_is_written",
          .sentence =
              "Every element that the contract says is written holds something else than two "
              "different poisons.",
          .field_bug =
              "groups, columns or tiles never computed, hidden by what memory held before "
              "(kinds A, D, I)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
