// Sparse operands: of which most is gaps, too large to be written whole. Only pages that hold rows
// have memory; the rest of the region is holes, found untouched without reading them.
#pragma once

#include <vector>

#include "src/harness/memory/operand_plan.h"
#include "src/harness/memory/page_range.h"
#include "src/harness/process/fault_set.h"

namespace assay {

struct MatrixImage;

bool is_sparse(Index extent_bytes, Index element_bytes);

// The region's pages that hold rows of an operand that begins at `begin`, ascending and apart.
std::vector<PageRange> pages_with_rows(const OperandPlan& plan, Index begin);

// Finds memory that a call made where no row lies. A page that was only read holds zeros and is no
// fault.
void inspect_holes(const MatrixImage& image, FaultSet& faults);

}  // namespace assay
