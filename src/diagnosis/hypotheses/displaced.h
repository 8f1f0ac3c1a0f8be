// Outputs that are written to addresses which are not theirs.
#pragma once

#include <functional>
#include <vector>

#include "src/diagnosis/hypotheses/hypothesis.h"

namespace assay {

// In elements from the operand's first one.
using ElementAddress = std::function<Index(Index expert, Index row, Index col)>;

// Thousands of claims of one element each say no more than hundreds.
inline constexpr Index kMostDisplaced = Index{1} << 14;

// At an element's own address stands what was written there last, elements in their order, or
// nothing. Requires: kMostDisplaced elements at most, and a case that does not accumulate.
std::vector<ClaimedPart> displaced_parts(const Evidence& evidence, const ElementAddress& own,
                                         const ElementAddress& written);

}  // namespace assay
