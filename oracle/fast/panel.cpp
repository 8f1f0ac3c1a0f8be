#include "oracle/fast/panel.h"

#include <algorithm>
#include <cmath>

#include "oracle/element_lines.h"

namespace assay::oracle {

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
    decode_line(
        {matrix.format, source, stride, line_length_}, conversion,
        {.values = values_.data() + start,
         .magnitudes32 = magnitudes == Magnitudes::kFp32 ? magnitudes32_.data() + start : nullptr,
         .magnitudes64 = magnitudes == Magnitudes::kFp64 ? magnitudes64_.data() + start : nullptr});
  }
}

}  // namespace assay::oracle
