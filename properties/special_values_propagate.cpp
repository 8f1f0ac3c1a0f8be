// NaN, infinities, -0, subnormals and the largest finite value go where exact extended arithmetic
// sends them, and nowhere else.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { spec.fill = Fill::kSpecial; }

}  // namespace

Check special_values_propagate() {
  return {.name = "special_values_propagate",
          .sentence =
              "NaN, infinities, -0, subnormals and the largest finite value go where exact "
              "extended arithmetic sends them, and nowhere else.",
          .field_bug =
              "flushed subnormals, NaN lost in a comparison, overflow turned finite (kinds E, "
              "X)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
