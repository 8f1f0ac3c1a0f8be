// The scales of an operand as they lie in memory.
#pragma once

#include <cstddef>
#include <vector>

#include "src/problem/problem.h"

namespace assay {

// In the order that facts_of describes. Scales of rows that no expert owns, and what lies between
// columns, are NaN, or 1 for a kernel whose padding holds zeros. Requires:
// problem.scales[role].present().
std::vector<std::byte> store_scales(const Problem& problem, Role role, bool zero_padding);

}  // namespace assay
