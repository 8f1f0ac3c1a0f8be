#include "src/problem/format.h"

#include <cstring>
#include <limits>

#include "src/core/require.h"
#include "src/problem/format_bits.h"
#include "src/problem/power_of_two.h"

namespace assay {

const FormatTraits& traits(Format format) {
  const auto index = static_cast<std::size_t>(format);
  ASSAY_REQUIRE(index < std::size(kFormatTraits), index);
  return kFormatTraits[index];
}

std::optional<Format> format_named(std::string_view wanted) {
  for (const Format format : kAllFormats) {
    if (name(format) == wanted) { return format; }
  }
  return std::nullopt;
}

std::string format_names(FormatUse use) {
  std::string names;
  for (const FormatTraits& row : kFormatTraits) {
    const bool of_codes = use == FormatUse::kCodes || use == FormatUse::kScaledOutputs;
    const bool of_outputs = use == FormatUse::kOutputs || use == FormatUse::kScaledOutputs;
    if ((of_codes && !row.code) || (of_outputs && !row.stored)) { continue; }
    names += names.empty() ? "" : ", ";
    names += row.name;
  }
  return names;
}

double decode(Format format, std::uint32_t bits) {
  const FormatBits layout = format_bits(format);
  if (layout.integer) {
    const std::uint32_t sign = std::uint32_t{1} << layout.sign_bit;
    return static_cast<double>(bits & (sign - 1)) - static_cast<double>(bits & sign);
  }
  const std::uint32_t magnitude = bits & ((std::uint32_t{1} << layout.sign_bit) - 1);
  const bool negative = ((bits >> layout.sign_bit) & 1) != 0;
  double value = 0;
  if (magnitude > layout.max_code) {
    value = magnitude == layout.over_code && layout.over_code != layout.nan_code
                ? std::numeric_limits<double>::infinity()
                : std::numeric_limits<double>::quiet_NaN();
  } else {
    const int field = static_cast<int>(magnitude >> layout.fraction_bits);
    const std::uint32_t implicit = std::uint32_t{1} << layout.fraction_bits;
    const std::uint32_t significand = (magnitude & (implicit - 1)) | (field != 0 ? implicit : 0);
    const int exponent = (field != 0 ? field - 1 : 0) + layout.min_exponent - layout.fraction_bits;
    value = static_cast<double>(significand) * power_of_two(exponent);  // exact
  }
  return negative ? -value : value;
}

std::uint32_t encode(Format format, double value) {
  return encode_with(format_bits(format), value);
}

std::uint32_t load_bits(Format format, const void* address) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, address, static_cast<std::size_t>(size_bytes(format)));  // little-endian hosts
  return bits;
}

void store_bits(Format format, void* address, std::uint32_t bits) {
  std::memcpy(address, &bits, static_cast<std::size_t>(size_bytes(format)));
}

}  // namespace assay
