// Sequence: a finding that shows only after earlier calls in the same process, with the fewest of
// them that bring it back in a fresh one; and whether it comes back steadily at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/campaign/run_profile.h"
#include "src/campaign/shrink.h"

namespace assay {

// A case that a check runs, several times one after another.
struct SequenceStep {
  const Check* check = nullptr;
  CaseSpec spec;
  Index times = 1;
};
// `50 * exact_integers_match_bitwise: pass=fwd k=1 n=1 rows=1`, as --before takes it.
std::string step_text(const SequenceStep& step);
// Errors: no check, an unknown one, a malformed case or number; the word is quoted.
Result<SequenceStep> parse_step(const std::string& text, const Registry& names);
// What one --before holds: a step, or @FILE with one a line. Errors: those of the step, with file
// and line; a file that cannot be read or has none.
Result<std::vector<SequenceStep>> parse_steps(const std::string& text, const Registry& names);
// The options of `assay run` that bring the steps' texts back, with a blank before each. More than
// these are left in a file of the folder, where there is one.
inline constexpr std::size_t kMostShownSteps = 5;
std::string before_options(const std::vector<std::string>& steps, const std::string& folder);
// Runs the steps; what they find does not matter.
void run_steps(Session& session, const std::vector<SequenceStep>& steps);

struct Sequence {
  std::vector<SequenceStep> before{};
  CaseSpec spec;  // fails after them
  Verdict verdict{};
};

// How a failure comes back in fresh processes.
struct BroughtBack {
  bool at_once = false;  // by the first run of each
  // By a run after the same number of others, or after the same cases, of each process that was
  // tried; and in none without them.
  std::optional<Sequence> sequence{};
  Index failed = 0, runs = 0;  // of all that were made on the way

  // Neither, though the time sufficed: it comes and goes, as a race does.
  bool sporadic = false;
};
// Tries the case again and again, then what its worker had run before.
BroughtBack bring_back(const Failure& failure, const OpenSession& open, double deadline_seconds,
                       const ShrinkLimits& limits);
// Whether the first run of a fresh process fails; also where none can be had.
bool fails_at_once(const Failure& failure, const OpenSession& open, double deadline_seconds);

}  // namespace assay
