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

namespace {

Decoded product_of(const Decoded& a, const Decoded& b) {
  Decoded product{.kind = class_of_product(a, b), .negative = a.negative != b.negative};
  if (product.kind == Decoded::Class::kFinite) {
    product.significand = a.significand * b.significand;
    product.exponent = a.exponent + b.exponent;
  }
  return product;
}

}  // namespace

Decoded element_at(const Matrix& matrix, Index row, Index col, Conversion conversion) {
  const Decoded code = decode_operand(matrix.format, matrix.bits(row, col), conversion);
  const ScaleGrid& scales = matrix.scales;
  if (!scales.present()) { return code; }
  const Decoded element = product_of(code, decode(scales.format, scales.bits(row, col)));
  if (!scales.tensor_scale) { return element; }
  return product_of(element,
                    decode(Format::kFp32, std::bit_cast<std::uint32_t>(*scales.tensor_scale)));
}

double element_value(const Matrix& matrix, Index row, Index col, Conversion conversion) {
  return operand_value(matrix.format, matrix.bits(row, col), conversion) *
         matrix.scales.value(row, col);
}

ScaleRange scale_range_of(const Matrix& matrix) {
  const ScaleGrid& scales = matrix.scales;
  if (!scales.present()) { return {}; }
  const double tensor = std::abs(scales.tensor_value());
  ScaleRange range{.largest = 0, .tensor = std::isfinite(tensor) ? tensor : 0};
  for (Index row = 0; row < matrix.rows; row += scales.block_rows) {
    for (Index col = 0; col < matrix.cols; col += scales.block_cols) {
      const double size = std::abs(scales.block_value(row, col));
      if (std::isfinite(size)) { range.largest = std::max(range.largest, size); }
    }
  }
  return range;
}

OperandRange range_of(const Matrix& matrix, Conversion conversion) {
  const FormatShape form = shape(converted_format(matrix.format, conversion));
  OperandRange range{.scales = scale_range_of(matrix)};
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
