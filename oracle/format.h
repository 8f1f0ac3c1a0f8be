// The oracle's own decoder and rounding of element formats; shares no code with src/problem on purpose.
#pragma once

#include <cstdint>

#include "src/core/index.h"

namespace assay::oracle {

enum class Format : std::uint8_t { kBf16, kFp16, kFp32, kE4m3, kE5m2 };

struct FormatShape {
  int size_bytes;
  int significand_bits;  // p, implicit bit included
  int max_exponent;      // of the largest finite number, as 1.f * 2^e
  int min_exponent;      // of the smallest normal number
  bool has_infinity;
};
FormatShape shape(Format format);

// A finite value is significand * 2^exponent, exactly.
struct Decoded {
  enum class Class : std::uint8_t { kFinite, kInfinite, kNan };
  Class kind = Class::kFinite;
  bool negative = false;
  std::uint32_t significand = 0;
  int exponent = 0;
};
Decoded decode(Format format, std::uint32_t bits);
double to_double(Format format, std::uint32_t bits);  // exact

// Round to nearest even of an exact double; overflow goes to infinity (e4m3: NaN).
std::uint32_t round_nearest(Format format, double value);
std::uint32_t round_toward_zero(Format format, double value);

std::uint32_t load(Format format, const void* address);

}  // namespace assay::oracle
