// Panel: a part of an operand decoded for BLAS, lines of the source kept contiguous.
#pragma once

#include <vector>

#include "oracle/element_lines.h"
#include "oracle/operand.h"
#include "oracle/product.h"

namespace assay::oracle {

struct Extent {
  Index first_row = 0, rows = 0, first_col = 0, cols = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

enum class Magnitudes : std::uint8_t { kNone, kFp32, kFp64 };

// Value (row, col) lies at row * row_step + col * col_step; one of the steps is 1.
class Panel {
 public:
  // Scales included. Elements that are not finite become zero.
  void load(const Matrix& matrix, const Extent& extent, Conversion conversion,
            Magnitudes magnitudes);

  const double* values() const { return values_.data(); }
  const float* magnitudes32() const { return magnitudes32_.data(); }
  const double* magnitudes64() const { return magnitudes64_.data(); }
  bool by_rows() const { return by_rows_; }
  Index line_length() const { return line_length_; }
  Index row_step() const { return by_rows_ ? line_length_ : 1; }
  Index col_step() const { return by_rows_ ? 1 : line_length_; }

 private:
  // Multiplies a decoded line, row `line` of the scales from column `first` on.
  void scale_line(const ScaleGrid& scales, Index line, Index first, const DecodedLine& to);

  bool by_rows_ = true;
  Index line_length_ = 0;
  std::vector<double> values_, magnitudes64_;
  std::vector<float> magnitudes32_;
};

}  // namespace assay::oracle
