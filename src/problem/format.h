// Element formats of operands: exact decoding, and encoding with one rounding to nearest even.
// e4m3 is the finite variant (no infinity, NaN at all ones), as NVIDIA's __nv_fp8_e4m3; e2m1 has
// neither infinity nor NaN, and two codes a byte in a kernel's memory, the low half first; int8 is
// two's complement.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "src/core/index.h"

namespace assay {

enum class Format : std::uint8_t { kBf16, kFp16, kFp32, kE4m3, kE5m2, kE2m1, kInt8 };

// All that the problem's side knows of a format; the oracle has a row of its own on purpose.
struct FormatTraits {
  std::string_view name;
  std::uint8_t dlpack_code;  // with `bits` bits
  int bits;
  int significand_bits;  // implicit one included
  int min_exponent;      // of the smallest normal number; integers have 1 for that
  bool has_infinity;     // as IEEE 754 codes it; else all ones is the one NaN
  bool has_nan;
  bool code;             // 8 bits and fewer: may have scales, beside any other format
  bool stored;           // outputs may have it
  bool converted;        // kernels may multiply it in a shorter format, which the manifest names
  std::uint32_t nan[2];  // poison: quiet, a payload for each variant, and kernels make others
  std::uint32_t unwritten[2];  // poison of owned output elements
  bool integer = false;        // two's complement; its least number is no other's negative
  // Computed from the above.
  Index size_bytes = 0;        // of one code alone; how many a kernel's memory has: stored_bytes
  std::uint32_t max_code = 0;  // magnitude bits of the largest finite number
  double max_finite = 0;
  int max_exponent = 0;  // of the largest finite number

  constexpr int sign_bit() const { return bits - 1; }
  // Codes that share a byte.
  constexpr Index packed() const { return bits < 8 ? 8 / bits : 1; }
  constexpr FormatTraits computed() const {
    FormatTraits row = *this;
    const int fraction_bits = significand_bits - 1;
    const std::uint32_t all_ones = (std::uint32_t{1} << sign_bit()) - 1;
    const std::uint32_t implicit = std::uint32_t{1} << fraction_bits;
    row.size_bytes = bits < 8 ? 1 : bits / 8;
    row.max_code = has_infinity ? all_ones - implicit : has_nan ? all_ones - 1 : all_ones;
    if (integer) {
      row.max_exponent = fraction_bits;
      row.max_finite = static_cast<double>(row.max_code);
      return row;
    }
    row.max_exponent = static_cast<int>(row.max_code >> fraction_bits) - 1 + min_exponent;
    row.max_finite = static_cast<double>((row.max_code & (implicit - 1)) | implicit) *
                     std::bit_cast<double>(
                         static_cast<std::uint64_t>(row.max_exponent - fraction_bits + 1023) << 52);
    return row;
  }
};

// In the order of Format.
inline constexpr FormatTraits kFormatTraits[] = {
    FormatTraits{.name = "bf16",
                 .dlpack_code = 4,
                 .bits = 16,
                 .significand_bits = 8,
                 .min_exponent = -126,
                 .has_infinity = true,
                 .has_nan = true,
                 .code = false,
                 .stored = true,
                 .converted = false,
                 .nan = {0x7fd3, 0x7feb},
                 .unwritten = {0x7fe5, 0xffda}}
        .computed(),
    FormatTraits{.name = "fp16",
                 .dlpack_code = 2,
                 .bits = 16,
                 .significand_bits = 11,
                 .min_exponent = -14,
                 .has_infinity = true,
                 .has_nan = true,
                 .code = false,
                 .stored = true,
                 .converted = false,
                 .nan = {0x7e53, 0x7f2b},
                 .unwritten = {0x7e5a, 0xfe25}}
        .computed(),
    FormatTraits{.name = "fp32",
                 .dlpack_code = 2,
                 .bits = 32,
                 .significand_bits = 24,
                 .min_exponent = -126,
                 .has_infinity = true,
                 .has_nan = true,
                 .code = false,
                 .stored = true,
                 .converted = true,
                 .nan = {0x7fd35353, 0x7feb2b2b},
                 .unwritten = {0x7fe5a5a5, 0xffda5a5a}}
        .computed(),
    FormatTraits{.name = "e4m3",
                 .dlpack_code = 10,
                 .bits = 8,
                 .significand_bits = 4,
                 .min_exponent = -6,
                 .has_infinity = false,
                 .has_nan = true,
                 .code = true,
                 .stored = true,
                 .converted = false,
                 .nan = {0x7f, 0x7f},
                 .unwritten = {0x7f, 0xff}}
        .computed(),
    FormatTraits{.name = "e5m2",
                 .dlpack_code = 12,
                 .bits = 8,
                 .significand_bits = 3,
                 .min_exponent = -14,
                 .has_infinity = true,
                 .has_nan = true,
                 .code = true,
                 .stored = true,
                 .converted = false,
                 .nan = {0x7e, 0x7f},
                 .unwritten = {0x7e, 0xff}}
        .computed(),
    FormatTraits{.name = "e2m1",
                 .dlpack_code = 17,
                 .bits = 4,
                 .significand_bits = 2,
                 .min_exponent = 0,
                 .has_infinity = false,
                 .has_nan = false,
                 .code = true,
                 .stored = false,
                 .converted = false,
                 .nan = {0x7, 0xf},
                 .unwritten = {0x7, 0xf}}
        .computed(),
    FormatTraits{.name = "int8",
                 .dlpack_code = 0,
                 .bits = 8,
                 .significand_bits = 7,
                 .min_exponent = 0,
                 .has_infinity = false,
                 .has_nan = false,
                 .code = true,
                 .stored = false,
                 .converted = false,
                 .nan = {0x7f, 0x80},
                 .unwritten = {0x7f, 0x80},
                 .integer = true}
        .computed(),
};
inline constexpr auto kAllFormats = [] {
  std::array<Format, std::size(kFormatTraits)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) { all[i] = static_cast<Format>(i); }
  return all;
}();

const FormatTraits& traits(Format format);
inline Index size_bytes(Format format) { return traits(format).size_bytes; }
inline std::string_view name(Format format) { return traits(format).name; }
// Bytes of neighbouring elements in a kernel's memory. Requires: whole bytes.
inline Index stored_bytes(Format format, Index elements) {
  return elements / traits(format).packed() * traits(format).size_bytes;
}

std::optional<Format> format_named(std::string_view name);
// Names for messages: of all formats, codes, those of outputs, and of outputs with a scale.
enum class FormatUse : std::uint8_t { kAny, kCodes, kOutputs, kScaledOutputs };
std::string format_names(FormatUse use = FormatUse::kAny);

// The exact value of the low `bits` bits; NaN payloads are not kept.
double decode(Format format, std::uint32_t bits);
// Rounds once to nearest even; beyond max_finite to infinity (e4m3: NaN), as IEEE 754 does, or
// stays at the last number where the format has neither. Requires there: no NaN.
std::uint32_t encode(Format format, double value);

// Load and store of one element's bits at an address of any alignment.
std::uint32_t load_bits(Format format, const void* address);
void store_bits(Format format, void* address, std::uint32_t bits);

}  // namespace assay
