// Element formats of operands: exact decoding, and encoding with one rounding to nearest even.
// e4m3 is the finite variant (no infinity, NaN at all ones), as NVIDIA's __nv_fp8_e4m3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/core/index.h"

namespace assay {

enum class Format : std::uint8_t { kBf16, kFp16, kFp32, kE4m3, kE5m2 };
inline constexpr Format kAllFormats[] = {Format::kBf16, Format::kFp16, Format::kFp32, Format::kE4m3,
                                         Format::kE5m2};

struct FormatTraits {
  std::string_view name;
  Index size_bytes;
  int significand_bits;  // implicit one included: bf16 8, fp16 11, fp32 24, e4m3 4, e5m2 3
  int min_exponent;      // of the smallest normal number: bf16 -126, fp16 -14
  double max_finite;
};
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
