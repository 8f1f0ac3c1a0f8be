// The workspace may hold anything before a call, and the next call may use it as this one left it.
#include "properties/support/case_run.h"

namespace assay {
namespace {

std::optional<std::string> not_applicable(const Manifest& manifest) {
  if (manifest.workspace_bytes > 0) { return std::nullopt; }
  return "the kernel declares no workspace";
}

void prepare(CaseSpec& spec, const Manifest&) { spec.acc = 0; }

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun dirty = run_and_judge(kernel, problem);
  Verdict& verdict = dirty.verdict;
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  const Outcome reused = kernel.run(problem, {.repeats = 3});
  if (!accept_outcome(verdict, problem, manifest, reused)) { return verdict; }
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, dirty.low.output, reused.output, "a reused workspace");
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
