// The oracle's own decoder and rounding of element formats; shares no code with src/problem on
// purpose. Source: IEEE 754-2019 sections 3.4 and 4.3 for bf16, fp16, fp32 and e5m2; e4m3 is the
// finite variant of Micikevicius et al. 2022 (arXiv 2209.05433): no infinity, NaN at all ones; e2m1
// has neither (OCP Microscaling Formats v1.0), and here a byte a code; int8 is two's complement.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "src/core/index.h"

namespace assay::oracle {

enum class Format : std::uint8_t { kBf16, kFp16, kFp32, kE4m3, kE5m2, kE2m1, kInt8 };
inline constexpr Format kAllFormats[] = {Format::kBf16, Format::kFp16, Format::kFp32, Format::kE4m3,
                                         Format::kE5m2, Format::kE2m1, Format::kInt8};

struct FormatShape {
  int size_bytes;
  int significand_bits;  // p, implicit bit included
  int max_exponent;      // of the largest finite number, as 1.f * 2^e
  int min_exponent;      // of the smallest normal number
  bool has_infinity;
  std::uint32_t max_finite;  // bits of the largest finite number
  int bits = 8 * size_bytes;
  bool has_nan = true;
  bool integer = false;  // two's complement: the rest describes its magnitudes up to max_finite

  constexpr std::uint32_t sign_bit() const { return 1u << (bits - 1); }
  constexpr int fraction_bits() const { return significand_bits - 1; }
  constexpr std::uint32_t quiet_nan() const {
    return has_infinity ? (max_finite + 1) | 1u << (fraction_bits() - 1) : max_finite + 1;
  }
};

// As a case spells it.
constexpr std::string_view name(Format format) {
  constexpr std::string_view kNames[] = {"bf16", "fp16", "fp32", "e4m3", "e5m2", "e2m1", "int8"};
  return kNames[static_cast<std::size_t>(format)];
}

constexpr FormatShape shape(Format format) {
  switch (format) {
    case Format::kBf16:
      return {2, 8, 127, -126, true, 0x7F7F};
    case Format::kFp16:
      return {2, 11, 15, -14, true, 0x7BFF};
    case Format::kE4m3:
      return {1, 4, 8, -6, false, 0x7E};
    case Format::kE5m2:
      return {1, 3, 15, -14, true, 0x7B};
    case Format::kE2m1:
      return {1, 2, 2, 0, false, 0x7, 4, false};
    case Format::kInt8:
      return {1, 7, 6, 0, false, 0x7F, 8, false, true};
    case Format::kFp32:
      break;
  }
  return {4, 24, 127, -126, true, 0x7F7FFFFF};
}

// A finite value is significand * 2^exponent, exactly.
struct Decoded {
  enum class Class : std::uint8_t { kFinite, kInfinite, kNan };
  Class kind = Class::kFinite;
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;
};
Decoded decode(Format format, std::uint32_t bits);
// Of a product of two; zero times infinity is NaN.
Decoded::Class class_of_product(const Decoded& a, const Decoded& b);
double to_double(Format format, std::uint32_t bits);  // exact
// The largest magnitude of a finite number.
double largest_of(Format format);

// Round to nearest even of an exact double; overflow goes to infinity (e4m3: NaN; e2m1: its largest
// number, and a NaN makes no sense there).
std::uint32_t round_nearest(Format format, double value);
// Overflow stays at the largest finite number; an infinity stays one (e4m3: NaN).
std::uint32_t round_toward_zero(Format format, double value);

// One element's bits at an address of any alignment.
inline std::uint32_t load(Format format, const void* address) {
  const int size_bytes = shape(format).size_bytes;
  if (size_bytes == 2) {
    std::uint16_t bits;
    std::memcpy(&bits, address, sizeof bits);
    return bits;
  }
  if (size_bytes == 4) {
    std::uint32_t bits;
    std::memcpy(&bits, address, sizeof bits);
    return bits;
  }
  return *static_cast<const std::uint8_t*>(address);
}

inline void store(Format format, void* address, std::uint32_t bits) {
  const int size_bytes = shape(format).size_bytes;
  if (size_bytes == 2) {
    const auto narrow = static_cast<std::uint16_t>(bits);
    std::memcpy(address, &narrow, sizeof narrow);
  } else if (size_bytes == 4) {
    std::memcpy(address, &bits, sizeof bits);
  } else {
    *static_cast<std::uint8_t*>(address) = static_cast<std::uint8_t>(bits);
  }
}

}  // namespace assay::oracle
