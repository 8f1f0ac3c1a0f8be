// The operands' device is used also when another one is current.
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  if (kernel.device().devices < 2) {
    return {.kind = VerdictKind::kNotApplicable, .reason = "there is one GPU only"};
  }
  return judge_called_otherwise(kernel, spec, {.other_device_current = true},
                                "the call with another device current");
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 101, .quick = 4, .ci = 19, .peers = 13, .full = 64},
};

}  // namespace

Check the_operands_device_is_used() {
  return {.name = "the_operands_device_is_used",
          .summary = "The operands' device is used also when another one is current.",
          .guards_against = "launches on the current device (kind R)",
          .advice =
              "With another device current, the kernel ran there. Set the device from the "
              "operands, and restore it.",
          .order = 350,
          .draws = kDraws,
          .not_applicable = needs_a_gpu,
          .prepare = use_plain_execution,
          .run = run};
}

}  // namespace assay
