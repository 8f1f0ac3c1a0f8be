// Product: one expert's matrix product as the oracle sees it:
// got [m, n] = c [m, n] + times * out_scale * a [m, k] b [k, n]. All three passes reduce to it by
// strides (wgrad: a = x_g^T).
#pragma once

#include <optional>

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
  Matrix got;  // the kernel's output; its format is the output format
  Matrix c;    // initial value of the output when accumulating, or a row for all: the bias
  bool c_is_bias = false;
  int times = 1;  // calls that each added a*b
  // Multiplies the sum of products before it is rounded: is_out_scale. No case has it and c.
  std::optional<float> out_scale{};
  Matrix previous;  // another case's exact result of the same shape: a trivial wrong answer

  double out_factor() const { return out_scale.value_or(1); }
  // Of an out_scale that is a power of two: its exponent.
  std::optional<int> out_exponent() const;
  // What every sum of products is multiplied by.
  double factor() const { return times * out_factor(); }
  bool is_scaled() const { return a.scales.present() || b.scales.present(); }
};

// Whether out_scale may have this value: what the exact oracle's range holds.
bool is_out_scale(double scale);
// Aborts unless the shapes agree, times is at least 1 and out_scale in its range.
void require_consistent(const Product& product);

}  // namespace assay::oracle
