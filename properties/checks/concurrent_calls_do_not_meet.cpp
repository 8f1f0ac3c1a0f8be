// Calls from several host threads at once, each on operands of its own, give what they give alone;
// on a device also calls of one thread on several streams.
#include "properties/generators/draw.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

constexpr int kCallers = 3;

// Judges every call of a concurrent run, and holds its bits against those of the call alone.
void accept_together(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                     const Outcome& alone, const Outcome& together) {
  if (!accept_outcome(verdict, problem, manifest, together)) { return; }
  for (const std::vector<std::byte>& output : together.concurrent_outputs) {
    if (output != together.output) { judge_numbers(verdict, problem, manifest, output); }
    if (!same_case_repeats_bits(manifest, problem.spec)) { continue; }
    require_same_bits(verdict, problem, alone.output, output, "a concurrent call");
  }
  if (same_case_repeats_bits(manifest, problem.spec)) {
    require_same_bits(verdict, problem, alone.output, together.output, "a concurrent call");
  }
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun alone = run_and_judge(kernel, problem);
  Verdict& verdict = alone.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  const Outcome threads = kernel.run(problem, {.repeats = 2, .concurrent = kCallers});
  accept_together(verdict, problem, manifest, alone.low, threads);
  if (!nothing_wrong(verdict) || !manifest.stream_ordered) { return verdict; }
  const Outcome streams =
      kernel.run(problem, {.repeats = 2, .concurrent = kCallers, .one_caller = true});
  accept_together(verdict, problem, manifest, alone.low, streams);
  return verdict;
}

// Calls must last to meet: one case in six takes a naive kernel some milliseconds, whatever was
// drawn.
void enumerate(CaseSpec& spec, const Manifest& manifest, Index index) {
  constexpr Index kEvery = 6;
  if (index % kEvery != 0) { return; }
  constexpr Index kSide = 192, kRows = 50, kExperts = 4;
  set_nth_pass(spec, manifest, index / kEvery);
  spec.k = to_multiple(kSide, manifest.k_multiple);
  spec.n = to_multiple(kSide, manifest.n_multiple);
  spec.rows.assign(kExperts, kRows);
  if (spec.cap > 0) { spec.cap = kRows; }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 99, .quick = 12, .ci = 57, .peers = 38, .full = 192},
    {.generator = "tile_borders", .seed = 100, .quick = 4, .ci = 19, .peers = 13, .full = 64},
};

}  // namespace

Check concurrent_calls_do_not_meet() {
  return {.name = "concurrent_calls_do_not_meet",
          .summary =
              "Calls from several host threads or on several streams at once, each on operands "
              "of its own, give what they give alone.",
          .guards_against = "static workspaces, handles and plans shared between calls (kind R)",
          .advice =
              "Two calls at once disturbed each other: static state, a shared workspace, a cached "
              "descriptor. Keep all state in the call.",
          .order = 340,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = nullptr,
          .run = run,
          .holds = {.calls = kCallers},
          .enumerate = enumerate};
}

}  // namespace assay
