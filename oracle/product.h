// Product: one expert's matrix product as the oracle sees it:
// got [m, n] = c [m, n] + times * a [m, k] b [k, n]. All three passes reduce to it by strides
// (wgrad: a = x_g^T).
#pragma once

#include "oracle/format.h"
#include "oracle/scale_grid.h"
#include "src/core/index.h"

namespace assay::oracle {

struct Matrix {
  const void* data = nullptr;  // nullptr: absent (no c)
  Format format = Format::kBf16;
  Index rows = 0, cols = 0;
  Index row_stride = 0, col_stride = 1;  // elements
  ScaleGrid scales{};                    // of a and b alone

  const char* address(Index row, Index col) const {
    return static_cast<const char*>(data) +
           (row * row_stride + col * col_stride) * shape(format).size_bytes;
  }
  std::uint32_t bits(Index row, Index col) const { return load(format, address(row, col)); }
  Matrix transposed() const {
    return {data, format, cols, rows, col_stride, row_stride, scales.transposed()};
  }
};

struct Product {
  Matrix a, b;
  Matrix got;       // the kernel's output; its format is the output format
  Matrix c;         // initial value of the output when accumulating
  int times = 1;    // calls that each added a*b
  Matrix previous;  // another case's exact result of the same shape: a trivial wrong answer

  bool is_scaled() const { return a.scales.present() || b.scales.present(); }
};

// Aborts unless the shapes agree and times is at least 1.
void require_consistent(const Product& product);

}  // namespace assay::oracle
