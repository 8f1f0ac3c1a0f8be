// One cause, one finding: what several checks met is told once, on its smallest case.
#pragma once

#include <string>
#include <vector>

#include "src/campaign/certify.h"

namespace assay {

// A reason with another element, row or byte in it.
std::string without_numbers(const std::string& reason);
// Findings are one where the same aspect failed in the same kind of verdict, and one hypothesis
// explains both; without one, where the case or the reason but for its numbers is the same. Each
// stands where the first of its parts stood, and holds the part with the smallest case and the
// checks of all.
std::vector<Finding> join_findings(std::vector<Finding> findings);

// `bytes written outside the owned elements (stray_write)`; the check's name in an old record,
// which has no aspects.
std::string wrong_text(const Finding& finding);
// `nothing_else_is_written and 2 other checks: k_and_n_tails, one_expert`.
std::string checks_text(const Finding& finding);

}  // namespace assay
