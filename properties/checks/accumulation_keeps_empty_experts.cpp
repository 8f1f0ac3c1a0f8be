// Accumulating into the gradient of an expert without rows keeps it bit for bit.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_accumulation(spec, manifest, 1);
  plant_empty_expert(spec);
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 57, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "empties", .seed = 58, .quick = 15, .ci = 72, .peers = 48, .full = 240},
};

}  // namespace

Check accumulation_keeps_empty_experts() {
  return {
      .name = "accumulation_keeps_empty_experts",
      .summary = "Accumulating into the gradient of an expert without rows keeps it bit for bit.",
      .guards_against =
          "empty experts zeroed although gradients are being accumulated (kinds A, T)",
      .advice =
          "Accumulating into the gradient of an expert without rows must leave it as it was. The "
          "store of zeros that is right without accumulation is wrong with it.",
      .order = 120,
      .draws = kDraws,
      .not_applicable = needs_accumulation,
      .prepare = prepare,
      .run = judge_case_whole};
}

}  // namespace assay
