// Measures the time that a call costs the host before the GPU has finished; a hidden
// synchronisation shows.
#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun plain = run_and_judge(kernel, problem);
  Verdict& verdict = plain.verdict;
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  constexpr int kCalls = 16;
  const Outcome free = kernel.run(problem, {.repeats = kCalls});
  if (!accept_outcome(verdict, problem, manifest, free, &plain)) { return verdict; }
  const Outcome held = kernel.run(problem, {.launch = Launch::kLateOperands});
  if (!accept_outcome(verdict, problem, manifest, held, &plain)) { return verdict; }
  constexpr double kMicro = 1e6;
  measure(verdict, free.host_seconds * kMicro);
  verdict.reason = fmt::format("the device {:.1f} us; the host {:.1f} us while the stream is held",
                               free.seconds * kMicro, held.host_seconds * kMicro);
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 116, .quick = 2, .ci = 9, .peers = 6, .full = 32},
};

}  // namespace

Check host_time_per_call() {
  return {.name = "host_time_per_call",
          .summary = "Measures the time that a call costs the host before the GPU has finished.",
          .guards_against = "counts read back to the host in every layer (kinds Q, Y)",
          .advice =
              "Never a verdict. A call that costs the host as long as the kernel runs, or that "
              "returns late while the stream is held, synchronises.",
          .order = 470,
          .draws = kDraws,
          .not_applicable = needs_streams,
          .prepare = use_plain_execution,
          .run = run,
          .measures = Measure{.unit = "us of host time a call"}};
}

}  // namespace assay
