// Shrinking: the smallest case, of those that the moves of src/problem/shrink.h reach, on which the
// same check still finds the same thing wrong.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "properties/check.h"
#include "src/problem/case_spec.h"

namespace assay {

struct ShrinkLimits {
  using Clock = std::chrono::steady_clock;

  Index max_tries = 400;
  double max_seconds = 10;
  Clock::time_point end = Clock::time_point::max();  // of all that has a share in the time

  bool out_of_time() const { return !(Clock::now() < end); }
  bool out_of_time(Clock::time_point start) const {
    const std::chrono::duration<double> taken = Clock::now() - start;
    return out_of_time() || !(taken.count() < max_seconds);
  }
};

struct Shrunk {
  CaseSpec spec;
  Index tries = 0;
  Index moves = 0;        // candidates taken
  bool finished = false;  // no candidate fails any more; false: a limit was met
};

// Greedy: takes the first failing candidate and begins again. No case is tried twice.
using StillFails = std::function<bool(const CaseSpec&)>;
Shrunk shrink_case(const CaseSpec& spec, const StillFails& still_fails, const ShrinkLimits& limits);

// The same kind of verdict, filed under the same aspect where that of `met` is known.
bool fails_alike(const Verdict& met, const Verdict& verdict);

// The predicate of a finding: `check` fails as it did when it was met. Keeps the last such verdict.
class SameFailure {
 public:
  SameFailure(Session& kernel, const Check& check, Verdict met)
      : kernel_(kernel), check_(check), met_(std::move(met)) {}
  bool operator()(const CaseSpec& spec);
  const Verdict& verdict() const { return verdict_; }

 private:
  Session& kernel_;
  const Check& check_;
  Verdict met_;
  Verdict verdict_;
};

}  // namespace assay
