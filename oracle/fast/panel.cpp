#include "oracle/fast/panel.h"

#include <algorithm>
#include <cmath>

#include "oracle/element_lines.h"

namespace assay::oracle {

namespace {

// What is not finite becomes zero, as decode_line has it.
void multiply_run(double* values, Index count, double scale) {
  const double factor = std::isfinite(scale) ? scale : 0;
  for (Index i = 0; i < count; ++i) { values[i] *= factor; }
}

}  // namespace

void Panel::scale_line(const ScaleGrid& scales, Index line, Index first, const DecodedLine& to) {
  for_each_scale(scales, line, first, line_length_, [&](Index at, Index count, double scale) {
    multiply_run(to.values + at, count, scale);
    if (to.magnitudes64 != nullptr) { multiply_run(to.magnitudes64 + at, count, std::abs(scale)); }
    for (Index i = at; to.magnitudes32 != nullptr && i < at + count; ++i) {
      to.magnitudes32[i] = static_cast<float>(std::abs(to.values[i]));
    }
  });
}

void Panel::load(const Matrix& matrix, const Extent& extent, Conversion conversion,
                 Magnitudes magnitudes) {
  by_rows_ = matrix.col_stride == 1 || matrix.row_stride != 1;
  const Index lines = by_rows_ ? extent.rows : extent.cols;
  line_length_ = by_rows_ ? extent.cols : extent.rows;
  const Index stride = by_rows_ ? matrix.col_stride : matrix.row_stride;
  const Index count = lines * line_length_;
  if (static_cast<Index>(values_.size()) < count) { values_.resize(count); }
  if (magnitudes == Magnitudes::kFp32 && static_cast<Index>(magnitudes32_.size()) < count) {
    magnitudes32_.resize(count);
  }
  if (magnitudes == Magnitudes::kFp64 && static_cast<Index>(magnitudes64_.size()) < count) {
    magnitudes64_.resize(count);
  }
  for (Index line = 0; line < lines; ++line) {
    const char* source = by_rows_ ? matrix.address(extent.first_row + line, extent.first_col)
                                  : matrix.address(extent.first_row, extent.first_col + line);
    const Index start = line * line_length_;
    const DecodedLine to{
        .values = values_.data() + start,
        .magnitudes32 = magnitudes == Magnitudes::kFp32 ? magnitudes32_.data() + start : nullptr,
        .magnitudes64 = magnitudes == Magnitudes::kFp64 ? magnitudes64_.data() + start : nullptr};
    decode_line({matrix.format, source, stride, line_length_}, conversion, to);
    if (!matrix.scales.present()) { continue; }
    if (by_rows_) {
      scale_line(matrix.scales, extent.first_row + line, extent.first_col, to);
    } else {
      scale_line(matrix.scales.transposed(), extent.first_col + line, extent.first_row, to);
    }
  }
}

}  // namespace assay::oracle
