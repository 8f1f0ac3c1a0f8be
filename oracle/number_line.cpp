#include "oracle/number_line.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::oracle {
namespace {

constexpr int kDoubleFraction = 52;
constexpr int kDoubleBias = 1023;

// The value of a magnitude, where a code past the largest finite number goes on counting.
double virtual_value(const FormatShape& form, std::uint32_t magnitude) {
  const std::uint32_t implicit = 1u << form.fraction_bits();
  const auto field = static_cast<int>(magnitude >> form.fraction_bits());
  const std::uint32_t fraction = magnitude & (implicit - 1);
  const std::uint32_t significand = field == 0 ? fraction : fraction | implicit;
  return std::ldexp(static_cast<double>(significand),
                    std::max(field, 1) - 1 + form.min_exponent - form.fraction_bits());
}

}  // namespace

Point point_of(Format format, std::uint32_t bits) {
  const FormatShape form = shape(format);
  const std::uint32_t magnitude = bits & (form.sign_bit() - 1);
  const std::uint32_t largest = form.has_infinity ? form.max_finite + 1 : form.max_finite;
  if (magnitude > largest) { return {.nan = true}; }
  const auto place = static_cast<Place>(magnitude);
  return {.place = bits & form.sign_bit() ? -place : place};
}

Place round_to_line(Format format, double value) {
  const FormatShape form = shape(format);
  const auto bits = std::bit_cast<std::uint64_t>(std::abs(value));
  const int exponent = static_cast<int>(bits >> kDoubleFraction) - kDoubleBias;
  const std::uint64_t implicit = std::uint64_t{1} << kDoubleFraction;
  // A subnormal double is far below half of any format's smallest number: it rounds to zero below.
  const std::uint64_t significand = (bits & (implicit - 1)) | implicit;
  const int normal_exponent = std::max(exponent, form.min_exponent);
  const int shift = kDoubleFraction - form.fraction_bits() + normal_exponent - exponent;
  if (shift > kDoubleFraction + 1) { return 0; }
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  // A carry out of the significand lands in the exponent field, where it belongs.
  const std::uint64_t code =
      (static_cast<std::uint64_t>(normal_exponent - form.min_exponent) << form.fraction_bits()) +
      kept + (up ? 1 : 0);
  const auto largest = static_cast<std::uint64_t>(infinite_place(format));
  const auto place = static_cast<Place>(std::min(code, largest));
  return std::signbit(value) ? -place : place;
}

std::uint32_t bits_at(Format format, Place place, bool negative_zero) {
  const FormatShape form = shape(format);
  const auto magnitude = static_cast<std::uint32_t>(std::abs(place));
  return magnitude | (place < 0 || (place == 0 && negative_zero) ? form.sign_bit() : 0);
}

std::uint32_t bits_of(Format format, const Point& point) {
  return point.nan ? shape(format).quiet_nan() : bits_at(format, point.place);
}

double midpoint_above(Format format, Place place) {
  const FormatShape form = shape(format);
  if (place < 0) { return -midpoint_above(format, -place - 1); }
  const auto magnitude = static_cast<std::uint32_t>(place);
  return (virtual_value(form, magnitude) + virtual_value(form, magnitude + 1)) / 2;
}

}  // namespace assay::oracle
