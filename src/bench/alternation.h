// The order in which contestants are timed: it changes from round to round, so that nobody always
// follows the same one.
#pragma once

#include <cstddef>
#include <vector>

namespace assay {

// 0 .. count - 1, each order once forwards and once backwards, then begun one place later.
std::vector<std::size_t> alternating_order(std::size_t count, int round);

}  // namespace assay
