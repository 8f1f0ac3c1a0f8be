// The operands' device is used also when another one is current.
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  if (kernel.device().devices < 2) {
    return {.kind = VerdictKind::kNotApplicable, .reason = "there is one GPU only"};
  }
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun plain = run_and_judge(kernel, problem);
  Verdict& verdict = plain.verdict;
  if (verdict.kind != VerdictKind::kPassed) return verdict;
  const Outcome other = kernel.run(problem, {.other_device_current = true});
  if (!accept_outcome(verdict, problem, manifest, other)) return verdict;
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, plain.low.output, other.output,
                      "the call with another device current");
  }
  return verdict;
}

}  // namespace

Check the_operands_device_is_used() {
  return {.name = "the_operands_device_is_used",
          .sentence = "The operands' device is used also when another one is current.",
          .field_bug = "launches on the current device (kind R)",
          .not_applicable = needs_a_gpu,
          .prepare = use_plain_execution,
          .run = run};
}

}  // namespace assay
