// How a measuring check takes its times, and how its verdict says what it measured.
#include <algorithm>
#include <utility>

#include "properties/support/case_run.h"

namespace assay {

double best_seconds(Session& kernel, const Problem& problem, Verdict& verdict) {
  constexpr int kTimings = 3;
  double best = 0;
  std::vector<std::byte> judged;
  for (int timing = 0; timing < kTimings; ++timing) {
    Outcome outcome = kernel.run(problem, {});
    const bool same = timing > 0 && same_bytes(outcome.output, judged);
    if (!(same ? accept_status(verdict, problem, kernel.manifest(), outcome)
               : accept_outcome(verdict, problem, kernel.manifest(), outcome))) {
      return 0;
    }
    best = timing == 0 ? outcome.seconds : std::min(best, outcome.seconds);
    judged = std::move(outcome.output);
  }
  return best;
}

void measure(Verdict& verdict, double value) {
  verdict.kind = VerdictKind::kMeasured;
  verdict.measured = value;
}

void measure_ratio(Verdict& verdict, double seconds, double over_seconds) {
  if (seconds > 0 && over_seconds > 0) { return measure(verdict, seconds / over_seconds); }
  leave_unmeasured(verdict, "a run took less than the clock's tick");
}

void leave_unmeasured(Verdict& verdict, const std::string& reason) {
  verdict.kind = VerdictKind::kNotRun;
  verdict.reason = reason;
}

}  // namespace assay
