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

OperandRange range_of(const Matrix& matrix, Conversion conversion) {
  const FormatShape form = shape(converted_format(matrix.format, conversion));
  OperandRange range;
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const Decoded value = decode_operand(matrix.format, matrix.bits(row, col), conversion);
      if (value.kind != Decoded::Class::kFinite) { range.finite = false; }
      if (value.significand == 0) { continue; }
      const double magnitude = std::ldexp(value.significand, value.exponent);
      range.largest = std::max(range.largest, magnitude);
      range.subnormal |= magnitude < std::ldexp(1.0, form.min_exponent);
      range.quantum_exponent =
          std::min(range.quantum_exponent, value.exponent + std::countr_zero(value.significand));
    }
  }
  return range;
}

}  // namespace assay::oracle
