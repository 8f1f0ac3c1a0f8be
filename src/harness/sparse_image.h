// The holes of a sparse operand: found untouched without reading them.
#pragma once

#include "src/harness/matrix_image.h"

namespace assay {

// True for an operand of which most is gaps, too large to be written whole.
bool is_sparse(const OperandPlan& plan);

// Finds memory that a call made where no row lies. A page that was only read holds zeros and is no
// fault.
void inspect_holes(const MatrixImage& image, FaultSet& faults);

}  // namespace assay
