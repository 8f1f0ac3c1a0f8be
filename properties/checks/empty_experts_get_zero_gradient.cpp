// The gradient of an expert without rows is +0 in every element.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_pass(spec, manifest, passes_that_reduce_rows());
  spec.acc = 0;
  plant_empty_expert(spec);
  // No value matters where there is none, a scale of all rows does: it may be NaN.
  if (spec.in.scaled()) { spec.fill = Fill::kSpecial; }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 54, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "empties", .seed = 55, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "single_rows", .seed = 56, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "many_experts", .seed = 122, .ci = 36, .peers = 22, .full = 108},
    {.generator = "scaled", .seed = 173, .quick = 20, .ci = 64, .peers = 64, .full = 320},
};

}  // namespace

Check empty_experts_get_zero_gradient() {
  return {.name = "empty_experts_get_zero_gradient",
          .summary = "The gradient of an expert without rows is +0 in every element.",
          .guards_against =
              "stale or uninitialised dW of empty experts, the most often broken case of the "
              "field (kind A)",
          .advice =
              "No tile is scheduled for an expert without rows, so nobody writes its gradient. "
              "Schedule one that stores zeros, or clear the output first.",
          .order = 110,
          .draws = kDraws,
          .not_applicable = needs_wgrad,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
