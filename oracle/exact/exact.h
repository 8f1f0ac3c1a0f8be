// Exact results by plain loops over fixed-point integers: every product and every sum is exact
// for all element formats, so what is rounded later is rounded once.
//
// Range: a product of two elements is a multiple of 2^-298 and below 2^256; of two scaled ones a
// multiple of 2^-330 (e5m2 times fp32) and below 2^288. Fewer than 2^31 products, added by fewer
// than 2^31 calls, stay below 2^350. Factors of 53 bits (x 1.02) fit below, or one that multiplies
// the sum before it is rounded (a multiple of 2^-54, below 2^31).
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "oracle/number_line.h"
#include "oracle/operand.h"
#include "oracle/product.h"

namespace assay::oracle {

using Fixed = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    1024, 1024, boost::multiprecision::signed_magnitude, boost::multiprecision::unchecked, void>>;
inline constexpr int kFixedExponent = -384;  // a Fixed counts units of 2^kFixedExponent

// One element of c + times * a b in exact extended arithmetic: inf * 0 and inf - inf are NaN.
struct ExactValue {
  enum class Class : std::uint8_t { kFinite, kInfinite, kNan };
  Class kind = Class::kFinite;
  bool negative = false;  // of an infinity
  Fixed value;            // of the finite terms
  Fixed gauge;            // sum |c| + times * |a||b| of the finite terms
  bool or_nan = false;    // NaN where flushed operands meet an infinity
};
// Subnormal operands count as they are; `flushing` says where they may be read as zero.
ExactValue exact_element(const Product& product, Conversion conversion, Index row, Index col,
                         const Flushing& flushing = {});

// Requires: finite, a multiple of 2^kFixedExponent, |value| <= 2^600.
Fixed to_fixed(double value);
double to_nearest(const Fixed& value);
double to_double_up(const Fixed& value);  // value >= 0

Place round_to_line(Format format, const Fixed& value);
// The exact result rounded once.
Point round_exact(Format format, const ExactValue& exact);
// Of value times the double 1.02, rounded once: a wrong answer that looks plausible.
inline constexpr double kScaledFactor = 1.02;
Point round_scaled(Format format, const ExactValue& exact);

}  // namespace assay::oracle
