// Calls from several host threads at once, each on operands of its own, give what they give alone;
// on a device also calls of one thread on several streams.
#include <algorithm>
#include <optional>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr int kCallers = 3;
constexpr std::uint64_t kEveryOther = 3;

// Another shape for every second call, in one case of three: what is kept of a shape shows only
// beside another. Nothing where the manifest has none.
std::optional<CaseSpec> other_shape(const CaseSpec& spec, const Manifest& manifest) {
  if (spec.seed % kEveryOther != 0) { return std::nullopt; }
  CaseSpec other = spec;
  other.k = (spec.k + 1) / 2;
  other.n = (spec.n + 1) / 2;
  std::ranges::reverse(other.rows);
  other.rows.back() /= 2;
  fit_to(other, manifest);
  if (other == spec || !check_case(other) || exclusion(manifest, other)) { return std::nullopt; }
  return other;
}

// Judges every call of a concurrent run, and holds the bits of the first case's against those of
// the call alone.
void accept_together(Verdict& verdict, const Problem& problem, const Problem* beside,
                     const Manifest& manifest, const CaseRun& alone, const Outcome& together) {
  if (!accept_outcome(verdict, problem, manifest, together, &alone)) { return; }
  const bool repeats = same_case_repeats_bits(manifest, problem.spec);
  for (std::size_t i = 0; i < together.concurrent_outputs.size(); ++i) {
    const std::vector<std::byte>& output = together.concurrent_outputs[i];
    if (beside != nullptr && i % 2 == 0) {
      judge_numbers(verdict, *beside, manifest, output);
      if (nothing_wrong(verdict)) { continue; }
      verdict.inner = beside->spec;
      return;
    }
    if (!same_bytes(output, together.output)) { judge_numbers(verdict, problem, manifest, output); }
    if (repeats) {
      require_same_bits(verdict, problem, alone.low.output, output, "a concurrent call");
    }
  }
  if (repeats) {
    require_same_bits(verdict, problem, alone.low.output, together.output, "a concurrent call");
  }
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun alone = run_and_judge(kernel, problem);
  Verdict& verdict = alone.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  std::optional<Problem> other;
  if (const auto shape = other_shape(spec, manifest)) { other = problem_for(*shape, manifest); }
  const Problem* const beside = other ? &*other : nullptr;
  // The shorter calls of another shape end first: what they spoiled, a second call would mend.
  const int repeats = beside != nullptr ? 1 : 2;
  const Outcome threads =
      kernel.run(problem, {.repeats = repeats, .concurrent = kCallers, .beside = beside});
  accept_together(verdict, problem, beside, manifest, alone, threads);
  if (!nothing_wrong(verdict) || !manifest.stream_ordered) { return verdict; }
  const Outcome streams = kernel.run(
      problem, {.repeats = repeats, .concurrent = kCallers, .beside = beside, .one_caller = true});
  accept_together(verdict, problem, beside, manifest, alone, streams);
  return verdict;
}

// Calls must last to meet: one case in six takes a naive kernel some milliseconds, whatever was
// drawn. It runs beside one of another shape, each of whose experts starts at another row.
void enumerate(CaseSpec& spec, const Manifest& manifest, Index index) {
  constexpr Index kEvery = 6;
  if (index % kEvery != 0) { return; }
  constexpr Index kSide = 192, kMostRows = 70;
  set_nth_pass(spec, manifest, index / kEvery);
  spec.k = spec.n = kSide;
  fit_widths(spec, manifest);
  spec.rows = {30, kMostRows, 50, 60};
  if (spec.cap > 0) { spec.cap = kMostRows; }
  spec.seed -= spec.seed % kEveryOther;
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
          .holds = {.problems = 3, .calls = kCallers},
          .enumerate = enumerate};
}

}  // namespace assay
