#include "src/problem/fixed_point.h"

#include <array>
#include <bit>

#include "src/core/require.h"

namespace assay {
namespace {

using Wide = __int128;
using UnsignedWide = unsigned __int128;

constexpr Fixed kLn2 = 2977044472;  // ln 2 * 2^32

// floor(sqrt(value))
std::uint64_t root(UnsignedWide value) {
  std::uint64_t found = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t tried = found | (std::uint64_t{1} << bit);
    if (static_cast<UnsignedWide>(tried) * tried <= value) { found = tried; }
  }
  return found;
}

// 2^(2^-i) * 2^62 for i = 1..32: each the square root of the one before.
std::array<std::uint64_t, kFixedBits> make_roots_of_two() {
  std::array<std::uint64_t, kFixedBits> roots{};
  UnsignedWide last = UnsignedWide{1} << 63;  // 2 * 2^62
  for (std::uint64_t& entry : roots) {
    entry = root(last << 62);
    last = entry;
  }
  return roots;
}

// Nearly normal: 12 uniform numbers' sum less 6.
Fixed irwin_hall(Rng& rng) {
  Fixed sum = -6 * kFixedOne;
  for (int i = 0; i < 12; ++i) { sum += static_cast<Fixed>(rng.next() >> (64 - kFixedBits)); }
  return sum;
}

}  // namespace

std::optional<Fixed> parse_fixed(std::string_view text) {
  constexpr int kMostWhole = 6;
  constexpr int kMostBehind = 9;
  std::int64_t digits = 0;
  std::int64_t unit = 1;
  int whole = 0, behind = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') { return std::nullopt; }
    if (point) { unit *= 10; }
    if ((point ? ++behind : ++whole) > (point ? kMostBehind : kMostWhole)) { return std::nullopt; }
    digits = digits * 10 + (c - '0');
  }
  if (whole == 0 || (point && behind == 0)) { return std::nullopt; }
  return static_cast<Fixed>((static_cast<Wide>(digits) * kFixedOne + unit / 2) / unit);
}

Fixed fixed_multiply(Fixed a, Fixed b) {
  return static_cast<Fixed>((static_cast<Wide>(a) * b) >> kFixedBits);
}

Fixed fixed_divide(Fixed a, Fixed b) {
  ASSAY_REQUIRE(b != 0);
  return static_cast<Fixed>(static_cast<Wide>(a) * kFixedOne / b);
}

Fixed log2_fixed(std::uint64_t value, int scale_bits) {
  ASSAY_REQUIRE(value >= 1);
  const int whole = static_cast<int>(std::bit_width(value)) - 1;
  std::uint64_t mantissa = value << (63 - whole);  // [1, 2) * 2^63
  Fixed fraction = 0;
  for (int bit = 0; bit < kFixedBits; ++bit) {
    const auto square =
        static_cast<std::uint64_t>((static_cast<UnsignedWide>(mantissa) * mantissa) >> 64);
    fraction <<= 1;
    if ((square >> 63) != 0) {  // [2, 4) * 2^62
      fraction |= 1;
      mantissa = square;
    } else {
      mantissa = square << 1;
    }
  }
  return (whole - scale_bits) * kFixedOne + fraction;
}

std::uint64_t exp2_40(Fixed x) {
  static const auto roots = make_roots_of_two();
  ASSAY_REQUIRE(x < 23 * kFixedOne, x);
  const Fixed whole = x >> kFixedBits;  // rounds down
  const auto fraction = static_cast<std::uint64_t>(x & (kFixedOne - 1));
  if (whole < -40) { return 0; }
  UnsignedWide power = UnsignedWide{1} << 62;
  for (int i = 0; i < kFixedBits; ++i) {
    if (((fraction >> (kFixedBits - 1 - i)) & 1) != 0) { power = (power * roots[i]) >> 62; }
  }
  return static_cast<std::uint64_t>(power >> (22 - static_cast<int>(whole)));
}

Fixed log2_uniform(Rng& rng) { return log2_fixed((rng.next() >> 1) + 1, 63); }

// Source: Marsaglia, Tsang: A simple method for generating gamma variables, TOMS 26 (2000); for
// shapes below 1 by gamma(shape) = gamma(shape + 1) * uniform^(1/shape).
Fixed log2_gamma(Rng& rng, Fixed shape) {
  ASSAY_REQUIRE(shape >= (kFixedOne >> 10) && shape <= (kFixedOne << 16), shape);
  if (shape < kFixedOne) {
    const Fixed above = log2_gamma(rng, shape + kFixedOne);
    return above + fixed_divide(log2_uniform(rng), shape);
  }
  const Fixed d = shape - kFixedOne / 3;
  const auto c =
      static_cast<Fixed>(root((static_cast<UnsignedWide>(kFixedOne) << (2 * kFixedBits)) /
                              static_cast<UnsignedWide>(9 * d)));
  for (;;) {
    const Fixed x = irwin_hall(rng);
    const Fixed t = kFixedOne + fixed_multiply(c, x);
    if (t <= 0) { continue; }
    const Fixed v = fixed_multiply(fixed_multiply(t, t), t);
    if (v <= 0) { continue; }
    const Fixed log2_v = log2_fixed(static_cast<std::uint64_t>(v), kFixedBits);
    const Fixed bound = fixed_multiply(x, x) / 2 + d - fixed_multiply(d, v) +
                        fixed_multiply(d, fixed_multiply(log2_v, kLn2));
    if (fixed_multiply(log2_uniform(rng), kLn2) < bound) {
      return log2_fixed(static_cast<std::uint64_t>(d), kFixedBits) + log2_v;
    }
  }
}

}  // namespace assay
