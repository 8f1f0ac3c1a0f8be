// Measures the kernel's time over that of one matrix product an expert.
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  Verdict verdict = judge_case_whole(kernel, spec);
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  const Problem problem = problem_for(spec, kernel.manifest());
  const double kernel_seconds = best_seconds(kernel, problem, verdict);
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  auto loop = open_worker_session("loop");
  if (!loop) {
    leave_unmeasured(verdict, loop.error().message);
    return verdict;
  }
  // What the loop does wrong is not a finding about the kernel.
  Verdict of_loop{.kind = VerdictKind::kPassed};
  const double loop_seconds = best_seconds(**loop, problem, of_loop);
  if (of_loop.kind != VerdictKind::kPassed) {
    leave_unmeasured(verdict, "the loop: " + of_loop.reason);
    return verdict;
  }
  measure_ratio(verdict, kernel_seconds, loop_seconds);
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "tile_borders", .seed = 114, .quick = 2, .ci = 3, .peers = 1, .full = 3},
};

}  // namespace

Check time_over_the_loop() {
  return {.name = "time_over_the_loop",
          .summary = "Measures the kernel's time over that of one matrix product an expert.",
          .guards_against = "a grouped path slower than the loop it replaces (kind Y)",
          .advice =
              "Never a verdict. Above one, the grouping costs more than it saves on these shapes. "
              "Other work on the machine is in the figure: `assay bench` measures with more care.",
          .order = 450,
          .draws = kDraws,
          .not_applicable = [](const Manifest& manifest) -> std::optional<std::string> {
            if (manifest.device == "cpu") { return std::nullopt; }
            return "the loop of this build runs on the CPU; `assay bench` has the GPU's";
          },
          .prepare = nullptr,
          .run = run,
          .measures = Measure{.unit = "times the loop's time"}};
}

}  // namespace assay
