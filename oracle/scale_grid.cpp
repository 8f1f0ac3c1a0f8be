#include "oracle/scale_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::oracle {
namespace {

constexpr std::uint32_t kE8m0Nan = 255;
constexpr int kE8m0Bias = 127;

}  // namespace

Decoded decode(ScaleFormat format, std::uint32_t bits) {
  switch (format) {
    case ScaleFormat::kFp32:
      return decode(Format::kFp32, bits);
    case ScaleFormat::kE4m3:
      return decode(Format::kE4m3, bits);
    case ScaleFormat::kE8m0:
      break;
  }
  if (bits == kE8m0Nan) { return {.kind = Decoded::Class::kNan}; }
  return {.significand = 1, .exponent = static_cast<int>(bits) - kE8m0Bias};
}

double to_double(ScaleFormat format, std::uint32_t bits) {
  const Decoded scale = decode(format, bits);
  if (scale.kind == Decoded::Class::kNan) { return std::numeric_limits<double>::quiet_NaN(); }
  const double size = scale.kind == Decoded::Class::kInfinite
                          ? std::numeric_limits<double>::infinity()
                          : std::ldexp(static_cast<double>(scale.significand), scale.exponent);
  return scale.negative ? -size : size;
}

std::uint32_t ScaleGrid::bits(Index row, Index col) const {
  const auto nearest = [](Index element, Index block, Index blocks) {
    return std::clamp<Index>(element / block, 0, blocks - 1);
  };
  const Index at = nearest(first_row + row, block_rows, rows) * row_stride +
                   nearest(first_col + col, block_cols, cols) * col_stride;
  const Format stored = format == ScaleFormat::kFp32 ? Format::kFp32 : Format::kE4m3;
  return load(stored, static_cast<const char*>(data) + at * size_bytes(format));
}

}  // namespace assay::oracle
