#include "src/diagnosis/matrix_block.h"

#include <cstddef>

namespace assay {

oracle::Matrix block(oracle::Matrix matrix, Index row, Index col, Index rows, Index cols) {
  // Nothing to point at where an expert has no rows: the shape still counts.
  if (matrix.data) {
    matrix.data = static_cast<const std::byte*>(matrix.data) +
                  (row * matrix.row_stride + col * matrix.col_stride) *
                      oracle::shape(matrix.format).size_bytes;
  }
  matrix.scales = matrix.scales.moved(row, col);
  matrix.rows = rows;
  matrix.cols = cols;
  return matrix;
}

}  // namespace assay
