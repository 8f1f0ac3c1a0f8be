// Calls from several host threads at once, each on operands of its own, give what they give alone.
#include "properties/support/case_run.h"

namespace assay {
namespace {

constexpr int kCallers = 3;

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun alone = run_and_judge(kernel, problem);
  Verdict& verdict = alone.verdict;
  if (verdict.kind != VerdictKind::kPassed) return verdict;
  const Outcome together = kernel.run(problem, {.repeats = 2, .concurrent = kCallers});
  if (!accept_outcome(verdict, problem, manifest, together)) return verdict;
  for (const std::vector<std::byte>& output : together.concurrent_outputs) {
    if (output != together.output) judge_numbers(verdict, problem, manifest, output);
    if (!same_case_repeats_bits(manifest, spec)) continue;
    require_same_bits(verdict, problem, alone.low.output, output, "a concurrent call");
  }
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, alone.low.output, together.output, "a concurrent call");
  }
  return verdict;
}

}  // namespace

Check concurrent_calls_do_not_meet() {
  return {.name = "concurrent_calls_do_not_meet",
          .sentence =
              "Calls from several host threads at once, each on operands of its own, give "
              "what they give alone.",
          .field_bug = "static workspaces, handles and plans shared between calls (kind R)",
          .not_applicable = always_applies,
          .prepare = nullptr,
          .run = run};
}

}  // namespace assay
