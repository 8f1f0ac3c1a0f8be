// The workspace may hold anything before a call, and the next call may use it as this one left it.
#include <algorithm>
#include <vector>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

std::optional<std::string> not_applicable(const Manifest& manifest) {
  if (manifest.workspace_bytes > 0 || manifest.workspace_formula) { return std::nullopt; }
  return "the kernel declares no workspace";
}

void prepare(CaseSpec& spec, const Manifest&) { spec.acc = 0; }

// The workspace as calls of the other passes and of another shape leave it, three times round.
void run_in_turn(Session& kernel, const CaseSpec& spec, const Outcome& first, Verdict& verdict) {
  constexpr int kRounds = 3;
  const Manifest& manifest = kernel.manifest();
  std::vector<CaseSpec> turns;
  for (const Pass pass : manifest.passes) {
    turns.push_back(spec);
    set_pass(turns.back(), manifest, pass);
  }
  turns.push_back(spec);
  std::ranges::reverse(turns.back().rows);
  turns.back().k = 2 * spec.k + 1;
  fit_widths(turns.back(), manifest);
  std::erase_if(turns, [&](const CaseSpec& turn) {
    return exclusion(manifest, turn).has_value() || !check_case(turn);
  });
  turns.push_back(spec);
  const bool repeats = same_case_repeats_bits(manifest, spec);
  for (int round = 0; round < kRounds; ++round) {
    for (const CaseSpec& turn : turns) {
      const Problem problem = problem_for(turn, manifest);
      const Outcome outcome = kernel.run(problem, {.keep_arena = true});
      const bool accepted = accept_outcome(verdict, problem, manifest, outcome);
      // Trivial answers may fit a turn of many; what is left wrong in the others still shows.
      if (verdict.kind == VerdictKind::kInconclusive) {
        verdict.kind = VerdictKind::kPassed;
        verdict.reason.clear();
      }
      if (accepted && repeats && turn == spec) {
        require_same_bits(verdict, problem, first.output, outcome.output, "the call");
      }
      if (verdict.kind != VerdictKind::kPassed) {
        return say_where(verdict, "in turn with other calls: ");
      }
    }
  }
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun dirty = run_and_judge(kernel, problem);
  Verdict& verdict = dirty.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  const Outcome reused = kernel.run(problem, {.repeats = 3});
  if (!accept_outcome(verdict, problem, manifest, reused, &dirty)) { return verdict; }
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, dirty.low.output, reused.output, "a reused workspace");
  }
  // Some dozen calls: one case in five has them.
  constexpr std::uint64_t kEvery = 5;
  if (verdict.kind == VerdictKind::kPassed && spec.seed % kEvery == 0) {
    run_in_turn(kernel, spec, dirty.low, verdict);
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 52, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "tile_borders", .seed = 53, .quick = 5, .ci = 24, .peers = 16, .full = 80},
};

}  // namespace

Check workspace_may_be_dirty_and_is_reusable() {
  return {.name = "workspace_may_be_dirty_and_is_reusable",
          .summary =
              "The workspace may hold anything before a call, and the next call may use "
              "it as this one left it.",
          .guards_against = "counters of a split reduction that expect zeros (kinds Q, R)",
          .advice =
              "The kernel expects a clean workspace or leaves it unusable for the next call. Clear "
              "what you need in the stream, at the start of the call.",
          .order = 100,
          .draws = kDraws,
          .not_applicable = not_applicable,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
