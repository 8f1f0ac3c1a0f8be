// The same call again and again gives the same bits.
#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {
namespace {

constexpr int kRepeats = 8;

std::optional<std::string> not_applicable(const Manifest& manifest) {
  if (manifest.deterministic) { return std::nullopt; }
  return "the manifest does not declare the kernel deterministic";
}

void prepare(CaseSpec& spec, const Manifest&) {
  // Cancelling sums change bits with any change of order.
  spec.fill = Fill::kCancelling;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun first = run_and_judge(kernel, problem);
  Verdict& verdict = first.verdict;
  for (int repeat = 0; repeat < kRepeats && nothing_wrong(verdict); ++repeat) {
    // Where the order of summation is declared, no number of threads may change it.
    const int threads = manifest.arithmetic.ascending ? repeat % 4 : 0;
    const Outcome again = kernel.run(problem, {.poison = repeat % 2, .threads = threads});
    if (!accept_status(verdict, problem, manifest, again)) { break; }
    require_same_bits(verdict, problem, first.low.output, again.output,
                      fmt::format("run {}", repeat + 3));
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 94, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "long_reduction", .seed = 95, .quick = 5, .ci = 24, .peers = 16, .full = 80},
    {.generator = "scaled", .seed = 158, .quick = 3, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check repeated_runs_give_the_same_bits() {
  return {
      .name = "repeated_runs_give_the_same_bits",
      .summary = "The same call again and again gives the same bits.",
      .guards_against =
          "races and unordered atomics that show once in a thousand runs (kinds N, O, S)",
      .advice =
          "The same call gave other bits although deterministic is declared: an atomic sum, a "
          "race, a read of uninitialised memory. Run compute-sanitizer's racecheck on the replay "
          "line.",
      .order = 300,
      .draws = kDraws,
      .not_applicable = not_applicable,
      .prepare = prepare,
      .run = run};
}

}  // namespace assay
