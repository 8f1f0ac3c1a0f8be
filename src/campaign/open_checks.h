// Why a run is incomplete: checks that lack cases for the same reason stand in one line.
#pragma once

#include <string>
#include <vector>

#include "src/campaign/tally.h"

namespace assay {

// One line a reason, in the order of the checks. Reasons that differ in their figures alone are
// one; the line has those of the first check.
std::vector<std::string> why_open(const std::vector<CheckTally>& checks);

}  // namespace assay
