// A block of a matrix, without copying it.
#pragma once

#include "oracle/product.h"
#include "src/core/index.h"

namespace assay {

// Rows [row, row + rows) and columns [col, col + cols); requires that the matrix has them.
oracle::Matrix block(oracle::Matrix matrix, Index row, Index col, Index rows, Index cols);

}  // namespace assay
