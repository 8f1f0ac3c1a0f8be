// Sequence: a finding that shows only after earlier calls in the same process, with the fewest of
// them that bring it back in a fresh one.
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

// Nothing where the failure shows in a fresh process at once, or cannot be brought back: neither by
// the same case again and again, at the same count twice, nor by what its worker had run before.
std::optional<Sequence> find_sequence(const Failure& failure, const OpenSession& open,
                                      double deadline_seconds, const ShrinkLimits& limits);

}  // namespace assay
