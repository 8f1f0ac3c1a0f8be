// Reports the kernel's time over that of one matrix product an expert; a ratio, never a verdict.
#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  Verdict verdict = judge_case_whole(kernel, spec);
  if (verdict.kind != VerdictKind::kPassed) return verdict;
  auto loop = open_worker_session("loop");
  if (!loop) {
    verdict.kind = VerdictKind::kNotRun;
    verdict.reason = loop.error().message;
    return verdict;
  }
  const Problem problem = problem_for(spec, kernel.manifest());
  const double kernel_seconds = best_seconds(kernel, problem, verdict);
  const double loop_seconds = best_seconds(**loop, problem, verdict);
  if (loop_seconds > 0) {
    verdict.reason = fmt::format("{:.2f} times the loop's time", kernel_seconds / loop_seconds);
  }
  return verdict;
}

}  // namespace

Check not_slower_than_the_loop() {
  return {.name = "not_slower_than_the_loop",
          .sentence = "Reports the kernel's time over that of one matrix product an expert.",
          .field_bug = "a grouped path slower than the loop it replaces (kind Y); a measurement",
          .not_applicable = [](const Manifest& manifest) -> std::optional<std::string> {
            if (manifest.device == "cpu") return std::nullopt;
            return "the loop of this build runs on the CPU; `assay bench` has the GPU's";
          },
          .prepare = nullptr,
          .run = run};
}

}  // namespace assay
