// All work is ordered on the stream that was passed.
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun plain = run_and_judge(kernel, problem);
  Verdict& verdict = plain.verdict;
  if (verdict.kind != VerdictKind::kPassed) return verdict;
  // The operands' producer runs in the stream, late: work that does not wait for it reads NaN and
  // offsets of -1, and what it wrote is overwritten.
  const Outcome late = kernel.run(problem, {.launch = Launch::kLateOperands});
  if (!accept_outcome(verdict, problem, manifest, late)) return verdict;
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, plain.low.output, late.output,
                      "the call behind a producer");
  }
  return verdict;
}

}  // namespace

Check the_given_stream_is_honoured() {
  return {
      .name = "the_given_stream_is_honoured",
      .sentence = "All work is ordered on the stream that was passed.",
      .field_bug = "default-stream launches that read operands before their producer ran (kind R)",
      .not_applicable = needs_streams,
      .prepare = use_plain_execution,
      .run = run};
}

}  // namespace assay
