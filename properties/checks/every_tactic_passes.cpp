// Every tactic gives the right answer, not only the one that a heuristic picks.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {
namespace {

std::optional<std::string> not_applicable(const Manifest& manifest) {
  if (!manifest.tactics.empty()) { return std::nullopt; }
  return "the kernel has one tactic";
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  Verdict verdict{.kind = VerdictKind::kNotRun, .reason = "the kernel lists no tactic"};
  Index runs = 0;
  double worst_ratio = 0;
  std::string inconclusive;
  Problem problem = problem_for(spec, kernel.manifest());
  std::optional<CaseRun> first;
  for (const std::string& tactic : kernel.manifest().tactics) {
    problem.spec.tactic = tactic;
    CaseRun run = run_and_judge(kernel, problem, first ? &*first : nullptr);
    verdict = run.verdict;
    if (!first) { first = std::move(run); }
    runs += verdict.runs;
    worst_ratio = std::max(worst_ratio, verdict.worst_ratio);
    if (verdict.kind == VerdictKind::kPassed) { continue; }
    say_where(verdict, fmt::format("tactic={}: ", tactic));
    if (verdict.kind == VerdictKind::kInconclusive) {
      inconclusive = verdict.reason;
      continue;
    }
    verdict.inner = problem.spec;
    break;
  }
  if (verdict.kind == VerdictKind::kPassed && !inconclusive.empty()) {
    verdict.kind = VerdictKind::kInconclusive;
    verdict.reason = inconclusive;
  }
  verdict.runs = runs;
  verdict.worst_ratio = worst_ratio;
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 102, .quick = 12, .ci = 57, .peers = 38, .full = 192},
    {.generator = "tile_borders", .seed = 103, .quick = 8, .ci = 38, .peers = 26, .full = 128},
    {.generator = "many_tiles", .seed = 104, .quick = 2, .ci = 18, .peers = 26, .full = 128},
    {.generator = "scaled", .seed = 160, .quick = 3, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check every_tactic_passes() {
  return {.name = "every_tactic_passes",
          .summary =
              "Every tactic gives the right answer, not only the one that a heuristic "
              "picks.",
          .guards_against =
              "tile configurations that a tuner picks for shapes nobody tested (kinds H, W)",
          .advice =
              "One tactic is wrong where others are right; the case names it. Test it alone with "
              "tactic=NAME before you trust a heuristic that may pick it.",
          .order = 360,
          .draws = kDraws,
          .not_applicable = not_applicable,
          .prepare = nullptr,
          .run = run};
}

}  // namespace assay
