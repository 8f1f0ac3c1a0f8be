// The call can be captured: no host read of offsets, no synchronisation.
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  // A plain call first: what is loaded once is loaded then.
  CaseRun plain = run_and_judge(kernel, problem);
  Verdict& verdict = plain.verdict;
  if (verdict.kind != VerdictKind::kPassed) return verdict;
  const Outcome captured = kernel.run(problem, {.launch = Launch::kGraph});
  if (!accept_outcome(verdict, problem, manifest, captured)) return verdict;
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, plain.low.output, captured.output, "the captured call");
  }
  return verdict;
}

}  // namespace

Check capture_needs_no_sync() {
  return {.name = "capture_needs_no_sync",
          .sentence = "The call can be captured: no host read of offsets, no synchronisation.",
          .field_bug = "hidden .item() on counts (kind Q)",
          .not_applicable = needs_graphs,
          .prepare = use_plain_execution,
          .run = run};
}

}  // namespace assay
