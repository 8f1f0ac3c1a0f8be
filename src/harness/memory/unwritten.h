// Owned elements that a kernel never wrote: they hold the poison of two runs with different poison.
#pragma once

#include <optional>
#include <string>

#include "src/harness/call/outcome.h"
#include "src/problem/problem.h"

namespace assay {

struct UnwrittenElement {
  std::string operand;                 // x, w or y
  Index expert = 0, row = 0, col = 0;  // of the expert's own rows; of its storage for w
  Index elements = 0;                  // how many were not written
};
std::string describe(const UnwrittenElement& element);

// Requires: the outcomes are OK, of runs with poison 0 and 1. Nothing when accumulating: C itself
// is legal there.
std::optional<UnwrittenElement> first_unwritten(const Problem& problem, const Outcome& poison0,
                                                const Outcome& poison1);

}  // namespace assay
