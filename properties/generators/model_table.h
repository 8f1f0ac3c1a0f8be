// ModelShape: the experts of a public Mixture-of-Experts model.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "src/core/index.h"

namespace assay {

struct ModelShape {
  std::string_view name;
  Index experts, top_k;
  Index hidden;  // K of the first product, N of the second
  Index ffn;     // of one expert; the first product computes gate and up together, twice as wide
};

// One row a model.
std::span<const ModelShape> all_model_shapes();
// What K or N is in any product of theirs, gate and up together or apart; ascending.
std::vector<Index> all_model_widths();

}  // namespace assay
