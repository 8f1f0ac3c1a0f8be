// Accumulating into the gradient of an expert without rows keeps it bit for bit.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_accumulation(spec, manifest, 1);
  plant_empty_expert(spec);
}

}  // namespace

Check accumulation_keeps_empty_experts() {
  return {
      .name = "accumulation_keeps_empty_experts",
      .sentence = "Accumulating into the gradient of an expert without rows keeps it bit for bit.",
      .field_bug = "empty experts zeroed although gradients are being accumulated (kinds A, T)",
      .not_applicable = needs_accumulation,
      .prepare = prepare,
      .run = judge_case_whole};
}

}  // namespace assay
