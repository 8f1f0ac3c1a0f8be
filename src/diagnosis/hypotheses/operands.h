// Matrices of a product, moved about: what a kernel reads when its addresses are wrong.
#pragma once

#include "src/diagnosis/evidence.h"

namespace assay {

inline oracle::Matrix moved(oracle::Matrix matrix, Index rows, Index cols) {
  matrix.data = static_cast<const std::byte*>(matrix.data) +
                (rows * matrix.row_stride + cols * matrix.col_stride) *
                    oracle::shape(matrix.format).size_bytes;
  matrix.scales = matrix.scales.moved(rows, cols);
  return matrix;
}

// Whether every element lies in the dense storage of one of the problem's operands.
bool inside_operands(const Problem& problem, const oracle::Matrix& matrix);

// The products [first, first + count) of the reduction; first may be negative and count reach past
// it.
bool set_reduction(const Problem& problem, oracle::Product& product, Index first, Index count);

inline bool reduces_over_rows(const Evidence& evidence) {
  return reduces_rows(evidence.problem.spec.pass);
}
inline Index reduction(const Evidence& evidence, Index expert) {
  return evidence.product(expert).a.cols;
}

}  // namespace assay
