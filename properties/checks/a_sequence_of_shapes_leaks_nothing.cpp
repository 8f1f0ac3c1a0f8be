// Shapes that cross every selection threshold, and back, in one process leave the first answer as
// it was.
#include <algorithm>

#include <fmt/format.h>

#include "properties/generators/fit.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

CaseSpec scaled(const CaseSpec& spec, const Manifest& manifest, int step) {
  CaseSpec other = spec;
  other.seed = spec.seed + static_cast<std::uint64_t>(step);
  const auto size = [](Index value, Index multiple, Index times, Index parts) {
    const Index unit = std::max<Index>(multiple, 1);
    return std::max(unit, value * times / parts / unit * unit);
  };
  switch (step) {
    case 1:  // few rows: the smallest tiles
      for (Index& rows : other.rows) { rows = std::min<Index>(rows, 1); }
      break;
    case 2:  // many rows, narrow
      for (Index& rows : other.rows) { rows = rows * 3 + 65; }
      other.n = size(spec.n, manifest.multiple(Axis::kN, spec.pass), 1, 4);
      break;
    case 3:  // short reduction
      other.k = size(spec.k, manifest.multiple(Axis::kK, spec.pass), 1, 4);
      break;
    default:  // nothing at all
      std::ranges::fill(other.rows, 0);
  }
  if (other.cap > 0) { other.cap = std::max(other.cap, *std::ranges::max_element(other.rows)); }
  fit_to(other, manifest);
  return other;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun first = run_and_judge(kernel, problem);
  Verdict& verdict = first.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  const VerdictKind of_first = verdict.kind;
  const std::string reason = verdict.reason;
  for (int step = 1; step <= 4; ++step) {
    const CaseSpec on_the_way = scaled(spec, manifest, step);
    const Problem other = problem_for(on_the_way, manifest);
    const Outcome outcome = kernel.run(other, {.keep_arena = true});
    if (accept_outcome(verdict, other, manifest, outcome)) { continue; }
    say_where(verdict, "along a sequence of shapes: ");
    verdict.inner = on_the_way;
    return verdict;
  }
  // Degenerate shapes on the way are allowed to prove little.
  verdict.kind = of_first;
  verdict.reason = reason;
  const Outcome last = kernel.run(problem, {.keep_arena = true});
  if (!accept_outcome(verdict, problem, manifest, last, &first)) { return verdict; }
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, first.low.output, last.output,
                      "the first shape, run again");
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 107, .quick = 12, .ci = 57, .peers = 38, .full = 192},
    {.generator = "tile_borders", .seed = 108, .quick = 4, .ci = 19, .peers = 13, .full = 64},
};

}  // namespace

Check a_sequence_of_shapes_leaks_nothing() {
  return {.name = "a_sequence_of_shapes_leaks_nothing",
          .summary =
              "Shapes that cross every selection threshold, and back, in one process leave "
              "the first answer as it was.",
          .guards_against =
              "plans cached under a key that lacks a shape, state left by a larger call "
              "(kinds R, W)",
          .advice =
              "A case is right alone and wrong after others in the same process: something is "
              "cached by a key that is too small, or state is left behind. The replay line is the "
              "sequence's last case.",
          .order = 380,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = nullptr,
          .run = run};
}

}  // namespace assay
