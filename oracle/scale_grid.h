// Scales: numbers that blocks of an operand's codes are multiplied by. The element that a kernel is
// to multiply is code times scale, exactly.
//
// Source: OCP Microscaling Formats (MX) v1.0 for e8m0: 2^(code - 127), 255 is NaN, no zero, no
// sign. A scale in fp32 or e4m3 is an ordinary number of that format. NVFP4 has one fp32 number a
// tensor beside them, which multiplies every block's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "oracle/format.h"
#include "src/core/index.h"

namespace assay::oracle {

enum class ScaleFormat : std::uint8_t { kFp32, kE8m0, kE4m3 };
inline constexpr ScaleFormat kAllScaleFormats[] = {ScaleFormat::kFp32, ScaleFormat::kE8m0,
                                                   ScaleFormat::kE4m3};

// As a case spells it.
constexpr std::string_view name(ScaleFormat format) {
  constexpr std::string_view kNames[] = {"fp32", "e8m0", "e4m3"};
  return kNames[static_cast<std::size_t>(format)];
}
constexpr int size_bytes(ScaleFormat format) { return format == ScaleFormat::kFp32 ? 4 : 1; }
Decoded decode(ScaleFormat format, std::uint32_t bits);
double to_double(ScaleFormat format, std::uint32_t bits);  // exact

// The scales of one matrix: element (row, col) has that of block ((first_row + row) / block_rows,
// (first_col + col) / block_cols), the nearest one where there is none.
struct ScaleGrid {
  const void* data = nullptr;  // nullptr: every scale is 1
  ScaleFormat format = ScaleFormat::kFp32;
  Index block_rows = 1, block_cols = 1;
  Index row_stride = 0, col_stride = 1;  // scales between neighbouring blocks
  Index rows = 1, cols = 1;              // blocks
  Index first_row = 0, first_col = 0;    // elements
  std::optional<float> tensor_scale{};   // beside scales in e4m3 alone, so that values are exact

  bool present() const { return data != nullptr; }
  std::uint32_t bits(Index row, Index col) const;
  double block_value(Index row, Index col) const {
    return present() ? to_double(format, bits(row, col)) : 1;
  }
  double value(Index row, Index col) const { return block_value(row, col) * tensor_value(); }
  double tensor_value() const { return tensor_scale.value_or(1); }
  ScaleGrid transposed() const {
    return {data, format, block_cols, block_rows, col_stride,  row_stride,
            cols, rows,   first_col,  first_row,  tensor_scale};
  }
  // Of the matrix that begins at (row, col), which may be outside.
  ScaleGrid moved(Index row, Index col) const {
    ScaleGrid grid = *this;
    grid.first_row += row;
    grid.first_col += col;
    return grid;
  }
};

// Calls work(first, count, scale) for the runs of elements of one scale among `count` elements of a
// row from first_col on; `first` counts from there.
template <class Work>
void for_each_scale(const ScaleGrid& grid, Index row, Index first_col, Index count,
                    const Work& work) {
  for (Index first = 0; first < count;) {
    const Index col = first_col + first;
    const Index run =
        std::min(count - first, grid.block_cols - (grid.first_col + col) % grid.block_cols);
    work(first, run, grid.value(row, col));
    first += run;
  }
}

}  // namespace assay::oracle
