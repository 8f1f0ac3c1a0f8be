// A case gives the same answer in memory that another case has just used.
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  CaseRun clean = run_and_judge(kernel, problem_for(spec, manifest));
  if (!nothing_wrong(clean.verdict)) { return clean.verdict; }
  // The other case is larger in every direction, with all experts busy: the recipe that showed
  // stale dW in the field.
  CaseSpec busy = spec;
  busy.seed = spec.seed + 1;
  for (Index& rows : busy.rows) { rows = rows + 3; }
  if (busy.cap > 0) { busy.cap += 3; }
  fit_to(busy, manifest);
  Verdict& verdict = clean.verdict;
  const Problem other = problem_for(busy, manifest);
  if (!accept_status(verdict, other, manifest, kernel.run(other, {}))) {
    say_where(verdict, "in the case before: ");
    verdict.inner = busy;
    return verdict;
  }
  const Problem problem = problem_for(spec, manifest);
  const Outcome dirty = kernel.run(problem, {.keep_arena = true});
  if (!accept_outcome(verdict, problem, manifest, dirty, &clean)) { return verdict; }
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, clean.low.output, dirty.output, "dirty memory");
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 50, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "empties", .seed = 51, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "scaled", .seed = 148, .quick = 6, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check dirty_memory_changes_nothing() {
  return {
      .name = "dirty_memory_changes_nothing",
      .summary = "A case gives the same answer in memory that another case has just used.",
      .guards_against =
          "gradients right in fresh zero pages and NaN once the allocator recycles "
          "a block (kinds A, D)",
      .advice =
          "The result depends on what the output or the workspace held. Something is read before "
          "it is written: an accumulator that is not cleared, a split's partial sum, a semaphore.",
      .order = 90,
      .draws = kDraws,
      .not_applicable = always_applies,
      .prepare = nullptr,
      .run = run};
}

}  // namespace assay
