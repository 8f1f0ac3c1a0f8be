// Operands of a product as doubles: for hypotheses that add up by themselves, on exact fills.
#pragma once

#include <vector>

#include "src/diagnosis/evidence.h"

namespace assay {

struct Decoded {
  Index m = 0, n = 0, k = 0;
  std::vector<double> a{};  // [m, k]
  std::vector<double> b{};  // [n, k]: b transposed
  std::vector<double> c{};  // [m, n], zero where the kernel overwrites

  // The sum of products [first, last) of one element; exact where the fill is.
  double dot(Index row, Index col, Index first, Index last) const {
    double sum = 0;
    for (Index i = first; i < last; ++i) { sum += a[row * k + i] * b[col * k + i]; }
    return sum;
  }
  double initial(Index row, Index col) const { return c[row * n + col]; }
};

std::vector<Decoded> decode_products(const Evidence& evidence);

}  // namespace assay
