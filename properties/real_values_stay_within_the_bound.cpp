// Real values stay within the proved bound of the declared arithmetic, element by element.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { use_real_fill(spec); }

}  // namespace

Check real_values_stay_within_the_bound() {
  return {
      .name = "real_values_stay_within_the_bound",
      .sentence =
          "Real values stay within the proved bound of the declared arithmetic, element "
          "by element.",
      .field_bug = "wrong rounding, lost precision, scale errors below a percent (kinds M, X, Z)",
      .not_applicable = always_applies,
      .prepare = prepare,
      .run = judge_case_whole};
}

}  // namespace assay
