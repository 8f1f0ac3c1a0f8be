// ElementPlace: an element of the dense output in the words of the case.
#pragma once

#include "src/core/index.h"
#include "src/problem/problem.h"

namespace assay {

struct ElementPlace {
  Index expert = 0;
  Index row = 0, col = 0;  // of the expert's own rows; of its storage for w
};
// `element` counts through the dense output, row by row.
ElementPlace place_in_output(const Problem& problem, Index element);

}  // namespace assay
