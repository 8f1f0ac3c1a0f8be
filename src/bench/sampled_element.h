// SampledElement: one element of a product with the place of its operands, as the GPU sums it
// again.
#pragma once

#include <cstdint>

#include "src/core/index.h"

namespace assay {

// out = sum over i < depth of a[a_first + i a_step] b[b_first + i b_step], all in elements.
// fwd: a is x, b is w; dgrad: a is y, b is w; wgrad: a is x, b is y.
struct SampledElement {
  Index a_first = 0, a_step = 0;
  Index b_first = 0, b_step = 0;
  Index depth = 0;
  Index out = 0;
  Index expert = 0, row = 0, col = 0;  // row of the expert; wgrad: of dW_g [k, n]
};

// That sum in fp64, added in any order, the sum of its terms' magnitudes, and the bits at `out`.
struct SampledResult {
  double sum = 0, gauge = 0;
  std::uint32_t got_bits = 0;
  std::uint32_t unused = 0;
};

}  // namespace assay
