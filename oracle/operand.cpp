#include "oracle/operand.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::oracle {
namespace {

constexpr int kTf32DroppedBits = 13;

std::uint32_t convert_fp32(std::uint32_t bits, Conversion conversion) {
  if (decode(Format::kFp32, bits).kind == Decoded::Class::kNan) { return bits; }
  const std::uint32_t dropped = (1u << kTf32DroppedBits) - 1;
  switch (conversion) {
    case Conversion::kTf32Rz:
      return bits & ~dropped;
    case Conversion::kTf32Rna:
      return (bits + (1u << (kTf32DroppedBits - 1))) & ~dropped;
    case Conversion::kBf16:
      return round_nearest(Format::kBf16, to_double(Format::kFp32, bits)) << 16;
    case Conversion::kNone:
      break;
  }
  return bits;
}

}  // namespace

Format converted_format(Format format, Conversion conversion) {
  if (conversion == Conversion::kNone) { return format; }
  return conversion == Conversion::kBf16 ? Format::kBf16 : Format::kFp32;
}

float operand_value(Format format, std::uint32_t bits, Conversion conversion) {
  const auto value = static_cast<float>(to_double(format, bits));
  if (conversion == Conversion::kNone) { return value; }
  return std::bit_cast<float>(convert_fp32(std::bit_cast<std::uint32_t>(value), conversion));
}

Decoded decode_operand(Format format, std::uint32_t bits, Conversion conversion) {
  if (conversion == Conversion::kNone) { return decode(format, bits); }
  const float value = operand_value(format, bits, conversion);
  return decode(Format::kFp32, std::bit_cast<std::uint32_t>(value));
}

Decoded element_at(const Matrix& matrix, Index row, Index col, Conversion conversion) {
  const Decoded code = decode_operand(matrix.format, matrix.bits(row, col), conversion);
  if (!matrix.scales.present()) { return code; }
  using Class = Decoded::Class;
  const Decoded scale = decode(matrix.scales.format, matrix.scales.bits(row, col));
  Decoded element{.negative = code.negative != scale.negative};
  const auto is_zero = [](const Decoded& x) {
    return x.kind == Class::kFinite && x.significand == 0;
  };
  if (code.kind == Class::kFinite && scale.kind == Class::kFinite) {
    element.significand = code.significand * scale.significand;
    element.exponent = code.exponent + scale.exponent;
  } else if (code.kind == Class::kNan || scale.kind == Class::kNan || is_zero(code) ||
             is_zero(scale)) {
    element.kind = Class::kNan;
  } else {
    element.kind = Class::kInfinite;
  }
  return element;
}

double element_value(const Matrix& matrix, Index row, Index col, Conversion conversion) {
  return operand_value(matrix.format, matrix.bits(row, col), conversion) *
         matrix.scales.value(row, col);
}

double largest_scale(const Matrix& matrix) {
  const ScaleGrid& scales = matrix.scales;
  if (!scales.present()) { return 1; }
  double largest = 0;
  for (Index row = 0; row < matrix.rows; row += scales.block_rows) {
    for (Index col = 0; col < matrix.cols; col += scales.block_cols) {
      const double size = std::abs(scales.value(row, col));
      if (std::isfinite(size)) { largest = std::max(largest, size); }
    }
  }
  return largest;
}

OperandRange range_of(const Matrix& matrix, Conversion conversion) {
  const FormatShape form = shape(converted_format(matrix.format, conversion));
  OperandRange range{.largest_scale = largest_scale(matrix)};
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const Decoded code = decode_operand(matrix.format, matrix.bits(row, col), conversion);
      range.subnormal |=
          code.kind == Decoded::Class::kFinite && code.significand != 0 &&
          std::ldexp(code.significand, code.exponent) < std::ldexp(1.0, form.min_exponent);
      const Decoded value = element_at(matrix, row, col, conversion);
      if (value.kind != Decoded::Class::kFinite) { range.finite = false; }
      if (value.significand == 0) { continue; }
      const double magnitude = std::ldexp(value.significand, value.exponent);
      range.largest = std::max(range.largest, magnitude);
      range.quantum_exponent =
          std::min(range.quantum_exponent, value.exponent + std::countr_zero(value.significand));
    }
  }
  return range;
}

}  // namespace assay::oracle
