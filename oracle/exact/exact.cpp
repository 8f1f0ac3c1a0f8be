#include "oracle/exact/exact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "src/core/require.h"

namespace assay::oracle {
namespace {

// Positive and negative terms apart, so that value and gauge come from the same two sums.
struct Sums {
  Fixed positive, negative;
  bool positive_infinity = false, negative_infinity = false, nan = false;

  void add(bool minus, const Fixed& significand, int exponent) {
    (minus ? negative : positive) += significand << (exponent - kFixedExponent);
  }
  void add_product(const Decoded& a, const Decoded& b) {
    const bool minus = a.negative != b.negative;
    const Decoded::Class kind = class_of_product(a, b);
    if (kind == Decoded::Class::kNan) {
      nan = true;
    } else if (kind == Decoded::Class::kInfinite) {
      (minus ? negative_infinity : positive_infinity) = true;
    } else if (a.significand != 0 && b.significand != 0) {  // a zero may have any exponent
      const bool short_ones = std::max(a.significand, b.significand) >> 32 == 0;
      add(minus,
          short_ones ? Fixed(a.significand * b.significand) : Fixed(a.significand) * b.significand,
          a.exponent + b.exponent);
    }
  }
};

bool is_infinite(const Decoded& value) { return value.kind == Decoded::Class::kInfinite; }

// Whether an operand's code may be read as zero although it is none.
struct Flushed {
  Flushed(Format format, Conversion how, const Flushing& flushing)
      : conversion(how),
        flushes(flushing.input(converted_format(format, how))),
        min_exponent(shape(converted_format(format, how)).min_exponent) {}
  bool operator()(const Matrix& matrix, Index row, Index col) const {
    if (!flushes) { return false; }
    const Decoded value = decode_operand(matrix.format, matrix.bits(row, col), conversion);
    return value.kind == Decoded::Class::kFinite && value.significand != 0 &&
           static_cast<int>(std::bit_width(value.significand)) - 1 + value.exponent < min_exponent;
  }
  Conversion conversion;
  bool flushes;
  int min_exponent;
};

// Loses nothing: a Fixed has room below for the factor's bits.
Fixed multiplied(const Fixed& value, const Decoded& factor) {
  const Fixed product = value * factor.significand;
  return factor.exponent < 0 ? Fixed(product >> -factor.exponent)
                             : Fixed(product << factor.exponent);
}

bool is_odd(const Fixed& value) { return bit_test(value, 0); }

}  // namespace

ExactValue exact_element(const Product& product, Conversion conversion, Index row, Index col,
                         const Flushing& flushing) {
  Sums sums;
  bool or_nan = false;
  const Flushed flushed_a{product.a.format, conversion, flushing};
  const Flushed flushed_b{product.b.format, conversion, flushing};
  for (Index k = 0; k < product.a.cols; ++k) {
    const Decoded a = element_at(product.a, row, k, conversion);
    const Decoded b = element_at(product.b, k, col, conversion);
    sums.add_product(a, b);
    or_nan |= (is_infinite(a) && flushed_b(product.b, k, col)) ||
              (flushed_a(product.a, row, k) && is_infinite(b));
  }
  sums.positive *= product.times;
  sums.negative *= product.times;
  if (product.out_scale) {
    const Decoded factor = decode(Format::kFp32, std::bit_cast<std::uint32_t>(*product.out_scale));
    sums.positive = multiplied(sums.positive, factor);
    sums.negative = multiplied(sums.negative, factor);
  }
  if (product.c.data != nullptr) {
    sums.add_product(decode(product.c.format, product.c.bits(row, col)), {.significand = 1});
  }
  ExactValue result;
  result.value = sums.positive - sums.negative;
  result.gauge = sums.positive + sums.negative;
  result.or_nan = or_nan;
  if (sums.nan || (sums.positive_infinity && sums.negative_infinity)) {
    result.kind = ExactValue::Class::kNan;
  } else if (sums.positive_infinity || sums.negative_infinity) {
    result.kind = ExactValue::Class::kInfinite;
    result.negative = sums.negative_infinity;
  }
  return result;
}

Fixed to_fixed(double value) {
  if (value == 0) { return 0; }
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  int shift = exponent - 53 - kFixedExponent;
  for (; shift < 0 && (significand & 1) == 0; ++shift) { significand >>= 1; }
  ASSAY_REQUIRE(shift >= 0 && exponent <= 600, value);
  const Fixed magnitude = Fixed(significand) << shift;
  return value < 0 ? Fixed(-magnitude) : magnitude;
}

double to_nearest(const Fixed& value) {
  const Fixed magnitude = abs(value);
  if (magnitude == 0) { return 0; }
  const int drop = std::max(static_cast<int>(msb(magnitude)) - 52, 0);
  Fixed kept = magnitude >> drop;
  const Fixed rest = magnitude - (kept << drop);
  if (drop > 0) {
    const Fixed half = Fixed(1) << (drop - 1);
    if (rest > half || (rest == half && is_odd(kept))) { ++kept; }
  }
  const auto significand = static_cast<double>(static_cast<std::uint64_t>(kept));
  return std::ldexp(value < 0 ? -significand : significand, drop + kFixedExponent);
}

double to_double_up(const Fixed& value) {
  ASSAY_REQUIRE(value >= 0, value);
  if (value == 0) { return 0; }
  const int drop = std::max(static_cast<int>(msb(value)) - 52, 0);
  Fixed kept = value >> drop;
  if ((kept << drop) != value) { ++kept; }
  return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(kept)), drop + kFixedExponent);
}

Place round_to_line(Format format, const Fixed& value) {
  const FormatShape form = shape(format);
  const Fixed magnitude = abs(value);
  if (magnitude == 0) { return 0; }
  const int exponent =
      std::max(static_cast<int>(msb(magnitude)) + kFixedExponent, form.min_exponent);
  if (exponent > form.max_exponent) {
    return value < 0 ? -infinite_place(format) : infinite_place(format);
  }
  const int drop = exponent - form.fraction_bits() - kFixedExponent;
  Fixed kept = magnitude >> drop;
  const Fixed rest = magnitude - (kept << drop);
  const Fixed half = Fixed(1) << (drop - 1);
  if (rest > half || (rest == half && is_odd(kept))) { ++kept; }
  // A carry out of the significand lands in the exponent field, where it belongs.
  const std::int64_t code =
      (static_cast<std::int64_t>(exponent - form.min_exponent) << form.fraction_bits()) +
      static_cast<std::int64_t>(kept);
  const auto place = static_cast<Place>(std::min<std::int64_t>(code, infinite_place(format)));
  return value < 0 ? -place : place;
}

Point round_exact(Format format, const ExactValue& exact) {
  if (exact.kind == ExactValue::Class::kNan) { return {.nan = true}; }
  if (exact.kind == ExactValue::Class::kInfinite) {
    return {.place = exact.negative ? -infinite_place(format) : infinite_place(format)};
  }
  return {.place = round_to_line(format, exact.value)};
}

Point round_scaled(Format format, const ExactValue& exact) {
  if (exact.kind != ExactValue::Class::kFinite) { return round_exact(format, exact); }
  constexpr int kFactorExponent = -52;
  const auto factor = static_cast<std::uint64_t>(std::ldexp(kScaledFactor, -kFactorExponent));
  // The value is a multiple of 2^-330, so its last 52 bits are free for the factor's.
  const Fixed scaled = (abs(exact.value) >> -kFactorExponent) * factor;
  return {.place = round_to_line(format, exact.value < 0 ? Fixed(-scaled) : scaled)};
}

}  // namespace assay::oracle
