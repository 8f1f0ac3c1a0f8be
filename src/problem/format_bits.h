// The layout of each element format as constants, and the encoder inline: for loops over many
// elements.
#pragma once

#include <array>
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
  std::uint32_t nan_code;
};

constexpr FormatBits format_bits(Format format) {
  switch (format) {
    case Format::kBf16:
      return {15, 7, -126, 0x7f7f, 0x7f80, 0x7fc0};
    case Format::kFp16:
      return {15, 10, -14, 0x7bff, 0x7c00, 0x7e00};
    case Format::kFp32:
      return {31, 23, -126, 0x7f7fffff, 0x7f800000, 0x7fc00000};
    case Format::kE4m3:
      return {7, 3, -6, 0x7e, 0x7f, 0x7f};
    case Format::kE5m2:
      return {7, 2, -14, 0x7b, 0x7c, 0x7e};
  }
  return {};
}

// Rounds an exact double once, to nearest even.
constexpr std::uint32_t encode_with(const FormatBits& layout, double value) {
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
