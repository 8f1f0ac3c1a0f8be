// The gradient of an expert without rows is +0 in every element.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_pass(spec, manifest, passes_that_reduce_rows());
  spec.acc = 0;
  plant_empty_expert(spec);
}

}  // namespace

Check empty_experts_get_zero_gradient() {
  return {.name = "empty_experts_get_zero_gradient",
          .sentence = "The gradient of an expert without rows is +0 in every element.",
          .field_bug =
              "stale or uninitialised dW of empty experts, the most often broken case of the "
              "field (kind A)",
          .not_applicable = needs_wgrad,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
