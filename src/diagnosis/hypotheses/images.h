// Images: operands as they lie in memory, what is between their rows not a number; for hypotheses
// about addresses.
#pragma once

#include <cstddef>
#include <vector>

#include "src/problem/problem.h"

namespace assay {

// Where the rows of an operand stand, elements apart.
struct Places {
  Index rows = 0, cols = 0;  // of one expert's weights, or of all physical rows
  Index row_pitch = 0, expert_pitch = 0;
  Index spare = 0;  // elements behind the last one
};

using Image = std::vector<std::byte>;
// An operand spread over more is not drawn: cases past 2^31 elements would fill the memory.
inline constexpr Index kMaxImageElements = Index{1} << 22;

Image image_of_weights(const Problem& problem, const Places& places);
// Padding rows hold zeros where the contract clears them.
Image image_of_rows(const Problem& problem, Role role, const Places& places,
                    bool padding_is_clear = false);

}  // namespace assay
