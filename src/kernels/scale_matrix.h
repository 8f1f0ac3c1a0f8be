// ScaleMatrix: the scales of one expert's matrix as a CPU kernel reads them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/core/index.h"
#include "src/kernels/element_codec.h"
#include "src/problem/scaling.h"

namespace assay {

// 2^(code - 127); 255 is NaN. Code 0 is a subnormal float.
inline float e8m0_to_float(std::uint8_t code) {
  if (code == 0xff) { return std::bit_cast<float>(0x7fc00000u); }
  return code == 0 ? 0x1p-127f : std::bit_cast<float>(static_cast<std::uint32_t>(code) << 23);
}

inline float scale_to_float(ScaleFormat format, const std::byte* address) {
  switch (format) {
    case ScaleFormat::kE8m0:
      return e8m0_to_float(load_unaligned<std::uint8_t>(address));
    case ScaleFormat::kE4m3:
      return e4m3_to_float(load_unaligned<std::uint8_t>(address));
    default:
      return load_unaligned<float>(address);
  }
}

struct ScaleMatrix {
  const std::byte* data = nullptr;  // null: every scale is 1
  // Of a grid in tiles of 32_4_4: how many lie along the reduction; 0: strides.
  Index tiles_along = 0;
  bool along_rows = false;  // the grid's rows lie along the reduction
  ScaleFormat format = ScaleFormat::kFp32;
  Index block_rows = 0, block_cols = 0;  // elements; 0: the whole axis
  Index row_stride = 0, col_stride = 0;  // bytes between neighbouring blocks; in tiles, of a scale
  bool has_tensor_scale = false;
  float tensor_scale = 1;  // one more factor of every element

  bool present() const { return data != nullptr; }
  // Of the block alone.
  float at(Index row, Index col) const {
    if (data == nullptr) { return 1; }
    const Index block_row = block_rows == 0 ? 0 : row / block_rows;
    const Index block_col = block_cols == 0 ? 0 : col / block_cols;
    return scale_to_float(format, tiles_along > 0
                                      ? in_tiles(block_row, block_col)
                                      : data + block_row * row_stride + block_col * col_stride);
  }
  const std::byte* in_tiles(Index block_row, Index block_col) const {
    const Index across = along_rows ? block_col : block_row;
    const Index along = along_rows ? block_row : block_col;
    const Index tile = across / 128 * tiles_along + along / 4;
    return data + (tile * 512 + across % 32 * 16 + across % 128 / 32 * 4 + along % 4) * row_stride;
  }
  ScaleMatrix transposed() const {
    ScaleMatrix turned = *this;
    turned.along_rows = !along_rows;
    std::swap(turned.block_rows, turned.block_cols);
    if (tiles_along == 0) { std::swap(turned.row_stride, turned.col_stride); }
    return turned;
  }
};

}  // namespace assay
