// Logarithm and power in fixed point, by integer arithmetic of our own: the same on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/core/index.h"
#include "src/problem/rng.h"

namespace assay {

// Reals as integers times 2^-32.
using Fixed = std::int64_t;
inline constexpr int kFixedBits = 32;
inline constexpr Fixed kFixedOne = Fixed{1} << kFixedBits;

// Decimal text as `1.1`: at most 6 digits before the point and 9 behind it; nothing when malformed.
std::optional<Fixed> parse_fixed(std::string_view text);

Fixed fixed_multiply(Fixed a, Fixed b);  // rounded down
Fixed fixed_divide(Fixed a, Fixed b);    // rounded towards zero

// log2 of value * 2^-scale_bits. Requires: value >= 1.
Fixed log2_fixed(std::uint64_t value, int scale_bits = 0);
// floor(2^x * 2^40) for x <= 0, and for x up to 22; 0 far below.
std::uint64_t exp2_40(Fixed x);

// log2 of a random number of the gamma distribution of that shape. Requires: 2^-10 <= shape <=
// 2^16.
Fixed log2_gamma(Rng& rng, Fixed shape);
// log2 of a uniform number in (0, 1].
Fixed log2_uniform(Rng& rng);

}  // namespace assay
