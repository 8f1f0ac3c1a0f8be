// Element formats of operands: exact decoding, and encoding with one rounding to nearest even.
// e4m3 is the finite variant (no infinity, NaN at all ones), as NVIDIA's __nv_fp8_e4m3.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "src/core/index.h"

namespace assay {

enum class Format : std::uint8_t { kBf16, kFp16, kFp32, kE4m3, kE5m2 };

// All that the problem's side knows of a format; the oracle has a row of its own on purpose.
struct FormatTraits {
  std::string_view name;
  std::uint8_t dlpack_code;  // with size_bytes * 8 bits
  Index size_bytes;
  int significand_bits;  // implicit one included
  int min_exponent;      // of the smallest normal number
  bool has_infinity;     // as IEEE 754 codes it; else all ones is the one NaN
  bool input_only;       // outputs have any format that is not; else that of the inputs, or fp32
  bool converted;        // kernels may multiply it in a shorter format, which the manifest names
  std::uint32_t nan[2];  // poison: quiet, a payload for each variant, and kernels make others
  std::uint32_t unwritten[2];  // poison of owned output elements
  // Computed from the above.
  std::uint32_t max_code = 0;  // magnitude bits of the largest finite number
  double max_finite = 0;
  int max_exponent = 0;  // of the largest finite number

  constexpr int sign_bit() const { return static_cast<int>(8 * size_bytes - 1); }
  constexpr FormatTraits computed() const {
    FormatTraits row = *this;
    const int fraction_bits = significand_bits - 1;
    const std::uint32_t all_ones = (std::uint32_t{1} << sign_bit()) - 1;
    const std::uint32_t implicit = std::uint32_t{1} << fraction_bits;
    row.max_code = has_infinity ? all_ones - implicit : all_ones - 1;
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
                 .size_bytes = 2,
                 .significand_bits = 8,
                 .min_exponent = -126,
                 .has_infinity = true,
                 .input_only = false,
                 .converted = false,
                 .nan = {0x7fd3, 0x7feb},
                 .unwritten = {0x7fe5, 0xffda}}
        .computed(),
    FormatTraits{.name = "fp16",
                 .dlpack_code = 2,
                 .size_bytes = 2,
                 .significand_bits = 11,
                 .min_exponent = -14,
                 .has_infinity = true,
                 .input_only = false,
                 .converted = false,
                 .nan = {0x7e53, 0x7f2b},
                 .unwritten = {0x7e5a, 0xfe25}}
        .computed(),
    FormatTraits{.name = "fp32",
                 .dlpack_code = 2,
                 .size_bytes = 4,
                 .significand_bits = 24,
                 .min_exponent = -126,
                 .has_infinity = true,
                 .input_only = false,
                 .converted = true,
                 .nan = {0x7fd35353, 0x7feb2b2b},
                 .unwritten = {0x7fe5a5a5, 0xffda5a5a}}
        .computed(),
    FormatTraits{.name = "e4m3",
                 .dlpack_code = 10,
                 .size_bytes = 1,
                 .significand_bits = 4,
                 .min_exponent = -6,
                 .has_infinity = false,
                 .input_only = true,
                 .converted = false,
                 .nan = {0x7f, 0x7f},
                 .unwritten = {0x7f, 0xff}}
        .computed(),
    FormatTraits{.name = "e5m2",
                 .dlpack_code = 12,
                 .size_bytes = 1,
                 .significand_bits = 3,
                 .min_exponent = -14,
                 .has_infinity = true,
                 .input_only = true,
                 .converted = false,
                 .nan = {0x7e, 0x7f},
                 .unwritten = {0x7e, 0xff}}
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

std::optional<Format> format_named(std::string_view name);

// The exact value of the low size_bytes*8 bits; NaN payloads are not kept.
double decode(Format format, std::uint32_t bits);
// Rounds once to nearest even; beyond max_finite to infinity (e4m3: NaN), as IEEE 754 does.
std::uint32_t encode(Format format, double value);

// Load and store of one element's bits at an address of any alignment.
std::uint32_t load_bits(Format format, const void* address);
void store_bits(Format format, void* address, std::uint32_t bits);

}  // namespace assay
