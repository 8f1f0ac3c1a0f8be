#include "oracle/format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "oracle/number_line.h"

namespace assay::oracle {
namespace {

// 2^exponent, a normal double.
double power(int exponent) {
  constexpr int kBias = 1023, kFraction = 52;
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << kFraction);
}

}  // namespace

Decoded::Class class_of_product(const Decoded& a, const Decoded& b) {
  using enum Decoded::Class;
  const auto is_zero = [](const Decoded& x) { return x.kind == kFinite && x.significand == 0; };
  if (a.kind == kFinite && b.kind == kFinite) { return kFinite; }
  const bool none = a.kind == kNan || b.kind == kNan || is_zero(a) || is_zero(b);
  return none ? kNan : kInfinite;
}

Decoded decode(Format format, std::uint32_t bits) {
  const FormatShape form = shape(format);
  const std::uint32_t magnitude = bits & (form.sign_bit() - 1);
  Decoded result;
  if (form.integer) {
    const auto value = static_cast<std::int32_t>(static_cast<std::int8_t>(bits));
    result.negative = value < 0;
    result.significand = static_cast<std::uint32_t>(std::abs(value));
    return result;
  }
  result.negative = (bits & form.sign_bit()) != 0;
  if (magnitude > form.max_finite) {
    const bool infinite = form.has_infinity && magnitude == form.max_finite + 1;
    result.kind = infinite ? Decoded::Class::kInfinite : Decoded::Class::kNan;
    return result;
  }
  const std::uint32_t implicit = 1u << form.fraction_bits();
  const auto field = static_cast<int>(magnitude >> form.fraction_bits());
  result.significand = magnitude & (implicit - 1);
  if (field != 0) { result.significand |= implicit; }
  result.exponent = std::max(field, 1) - 1 + form.min_exponent - form.fraction_bits();
  return result;
}

double to_double(Format format, std::uint32_t bits) {
  const Decoded value = decode(format, bits);
  if (value.kind == Decoded::Class::kNan) { return std::numeric_limits<double>::quiet_NaN(); }
  const double magnitude = value.kind == Decoded::Class::kInfinite
                               ? std::numeric_limits<double>::infinity()
                               : static_cast<double>(value.significand) * power(value.exponent);
  return value.negative ? -magnitude : magnitude;
}

double largest_of(Format format) {
  const FormatShape form = shape(format);
  return std::abs(to_double(format, form.integer ? form.sign_bit() : form.max_finite));
}

std::uint32_t round_nearest(Format format, double value) {
  const FormatShape form = shape(format);
  if (form.integer) {
    const double kept = std::min(127.0, std::max(-128.0, value));
    return static_cast<std::uint8_t>(static_cast<std::int8_t>(std::nearbyint(kept)));
  }
  if (std::isnan(value)) { return form.quiet_nan(); }
  if (!form.has_nan && std::abs(value) > to_double(format, form.max_finite)) {
    return form.max_finite | (std::signbit(value) ? form.sign_bit() : 0);
  }
  return bits_at(format, round_to_line(format, value), std::signbit(value));
}

std::uint32_t round_toward_zero(Format format, double value) {
  const FormatShape form = shape(format);
  if (form.integer) { return round_nearest(format, std::trunc(value)); }
  if (!std::isfinite(value)) { return round_nearest(format, value); }
  // The next number toward zero where rounding to nearest went past the value.
  std::uint32_t magnitude = round_nearest(format, std::abs(value));
  magnitude = std::min(magnitude, form.max_finite);
  if (to_double(format, magnitude) > std::abs(value)) { --magnitude; }
  return magnitude | (std::signbit(value) ? form.sign_bit() : 0);
}

}  // namespace assay::oracle
