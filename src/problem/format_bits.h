// The layout of each element format's bits, and the encoder inline: for loops over many elements.
#pragma once

#include <bit>
#include <cstdint>

#include "src/problem/format.h"

namespace assay {

struct FormatBits {
  int sign_bit;             // position of the sign
  int fraction_bits;        // significand without the implicit bit
  int min_exponent;         // of the smallest normal number
  std::uint32_t max_code;   // magnitude bits of the largest finite number
  std::uint32_t over_code;  // what a value beyond it becomes
  std::uint32_t nan_code;   // integers: their least number
  bool integer = false;
};

constexpr FormatBits format_bits(Format format) {
  const FormatTraits& row = kFormatTraits[static_cast<std::size_t>(format)];
  const int fraction_bits = row.significand_bits - 1;
  if (row.integer) {
    const std::uint32_t least = row.max_code + 1;
    return {row.sign_bit(), fraction_bits, row.min_exponent, row.max_code, row.max_code,
            least,          true};
  }
  const std::uint32_t over = row.has_nan ? row.max_code + 1 : row.max_code;
  const std::uint32_t quiet = row.has_infinity ? std::uint32_t{1} << (fraction_bits - 1) : 0;
  return {row.sign_bit(), fraction_bits, row.min_exponent, row.max_code, over, over | quiet};
}

// The code of the negative, or the code itself.
constexpr std::uint32_t with_sign(const FormatBits& layout, std::uint32_t code, bool negative) {
  if (!negative) { return code; }
  const std::uint32_t sign = std::uint32_t{1} << layout.sign_bit;
  return layout.integer ? (0 - code) & (2 * sign - 1) : code | sign;
}

constexpr std::uint32_t encode_integer(const FormatBits& layout, double value) {
  const auto largest = static_cast<double>(layout.max_code);
  if (!(value < largest)) { return layout.max_code; }
  if (!(value > -largest - 1)) { return layout.nan_code; }
  constexpr double kToNearest = 0x1.8p52;  // its last place is 1
  const auto whole = static_cast<std::int32_t>(value + kToNearest - kToNearest);
  return static_cast<std::uint32_t>(whole) & (2 * layout.max_code + 1);
}

// Rounds an exact double once, to nearest even.
constexpr std::uint32_t encode_with(const FormatBits& layout, double value) {
  if (layout.integer) { return encode_integer(layout, value); }
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << layout.sign_bit;
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  if (biased == 0x7ff) { return sign | (fraction != 0 ? layout.nan_code : layout.over_code); }
  if (biased == 0) {
    return sign;  // below 2^-1022: zero in every format
  }
  const std::uint64_t significand = fraction | (std::uint64_t{1} << 52);
  const int exponent = biased - 1023;
  const int below = exponent < layout.min_exponent ? layout.min_exponent - exponent : 0;
  const int drop = 52 - layout.fraction_bits + below;
  if (drop > 53) {
    return sign;  // less than half of the smallest subnormal
  }
  const std::uint64_t half_and_tie =
      (std::uint64_t{1} << (drop - 1)) - 1 + ((significand >> drop) & 1);
  // A carry out of the significand is the next exponent, as the code is one integer.
  const std::uint64_t code =
      ((significand + half_and_tie) >> drop) +
      (static_cast<std::uint64_t>(exponent + below - layout.min_exponent) << layout.fraction_bits);
  return sign | (code > layout.max_code ? layout.over_code : static_cast<std::uint32_t>(code));
}

}  // namespace assay
