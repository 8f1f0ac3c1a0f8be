#include "oracle/rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace assay::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Beyond every number that can occur, so that a vacuous bound stays in the range of Fixed.
constexpr double kLargestBound = 0x1p599;  // what to_fixed takes

// Distance from y to the reals that round to the place, which is on the line or saturated.
Fixed distance(const Rule& rule, const Fixed& value, Place place) {
  const Place last = rule.clamp(infinite_place(rule.format));
  if (place > -last) {
    const Fixed low = to_fixed(midpoint_above(rule.format, place - 1));
    if (value < low) { return low - value; }
  }
  if (place < last) {
    const Fixed high = to_fixed(midpoint_above(rule.format, place));
    if (value > high) { return value - high; }
  }
  return 0;
}

double ratio_of(const Rule& rule, const ExactVerdict& verdict, const Point& got, bool accepted) {
  if (got.nan || verdict.exact.kind != ExactValue::Class::kFinite) {
    return accepted ? 0 : kInfinity;
  }
  const Fixed error = distance(rule, verdict.exact.value, got.place);
  if (error == 0 && accepted) { return 0; }
  const double ratio = verdict.bound > 0 ? to_nearest(error) / verdict.bound : kInfinity;
  // A flushed result says nothing of how far sums may lie off.
  const bool flushed = accepted && got.place == 0 && verdict.allowed.accepts_flushed();
  if (flushed && !(ratio <= 1)) { return 0; }
  // Overflow on the way is allowed outside of the interval too.
  if (accepted) { return std::min(ratio, 1.0); }
  return std::max(ratio, std::nextafter(1.0, kInfinity));
}

double gauge_of(const Rule& rule, const ExactVerdict& verdict, std::uint32_t got_bits) {
  const double got = to_double(rule.format, got_bits);
  if (verdict.exact.kind != ExactValue::Class::kFinite || !std::isfinite(got)) {
    return point_of(rule.format, got_bits) == verdict.rounded ? 0 : kInfinity;
  }
  const double error = to_nearest(abs(Fixed(to_fixed(got) - verdict.exact.value)));
  return error == 0 ? 0 : error / (0x1p-24 * verdict.gauge);
}

}  // namespace

bool Allowed::accepts(const Point& got) const {
  const Place infinite = infinite_place(format);
  const bool finite = !got.nan && std::abs(got.place) < infinite;
  if (any_nonfinite && !finite) { return true; }
  if (nan) { return got.nan; }
  if (or_nan && got.nan) { return true; }
  if (!got.nan && got.place == 0 && accepts_flushed()) { return true; }
  // A format without infinity overflows to NaN.
  if (got.nan) {
    return !shape(format).has_infinity && (lowest == -infinite || highest == infinite);
  }
  return lowest <= got.place && got.place <= highest;
}

bool Allowed::accepts_flushed() const {
  if (!flushes || nan || lowest > highest) { return false; }
  const Place normal = Place{1} << shape(format).fraction_bits();
  // The smallest normal one among them: tiny before it was rounded.
  return lowest <= normal && highest >= -normal;
}

Place Rule::clamp(Place place) const {
  const Place last = infinite_place(format) - (saturates ? 1 : 0);
  return std::clamp(place, -last, last);
}

Rule rule_of(const Product& product, const Arithmetic& arithmetic, const OperandRange& a,
             const OperandRange& b, bool exact_input) {
  const Reduction reduction = reduction_of(product, arithmetic, a, b);
  return {.format = product.got.format,
          .bound =
              exact_input ? exact_bound(arithmetic, reduction) : error_bound(arithmetic, reduction),
          .saturates = arithmetic.saturates,
          .subnormals = arithmetic.subnormals};
}

ExactVerdict judge_value(const Rule& rule, ExactValue exact) {
  ExactVerdict verdict;
  verdict.exact = std::move(exact);
  verdict.rounded = round_exact(rule.format, verdict.exact);
  verdict.rounded.place = rule.clamp(verdict.rounded.place);
  verdict.gauge = to_double_up(verdict.exact.gauge);
  verdict.bound = rule.bound.at(verdict.gauge);
  verdict.overflowing = verdict.gauge >= rule.bound.overflow_from;
  Allowed& allowed = verdict.allowed;
  allowed.format = rule.format;
  allowed.any_nonfinite = verdict.overflowing;
  allowed.or_nan = verdict.exact.or_nan;
  allowed.flushes = rule.flushes_output();
  if (verdict.exact.kind == ExactValue::Class::kFinite) {
    const Fixed error = to_fixed(std::min(verdict.bound, kLargestBound));
    allowed.lowest = rule.clamp(round_to_line(rule.format, verdict.exact.value - error));
    allowed.highest = rule.clamp(round_to_line(rule.format, verdict.exact.value + error));
  } else {
    allowed.nan = verdict.rounded.nan;
    allowed.lowest = allowed.highest = verdict.rounded.place;
  }
  return verdict;
}

Point scaled_answer(const Rule& rule, const ExactVerdict& verdict) {
  Point answer = round_scaled(rule.format, verdict.exact);
  answer.place = rule.clamp(answer.place);
  return answer;
}

Witness witness_of(const Rule& rule, const ExactVerdict& verdict, std::uint32_t got_bits) {
  const Point got = point_of(rule.format, got_bits);
  Witness witness;
  witness.got_bits = got_bits;
  witness.exact_bits = bits_of(rule.format, verdict.rounded);
  switch (verdict.exact.kind) {
    case ExactValue::Class::kFinite:
      witness.exact = to_nearest(verdict.exact.value);
      break;
    case ExactValue::Class::kInfinite:
      witness.exact = verdict.exact.negative ? -kInfinity : kInfinity;
      break;
    case ExactValue::Class::kNan:
      witness.exact = std::numeric_limits<double>::quiet_NaN();
      break;
  }
  witness.bound = verdict.bound;
  witness.ratio = ratio_of(rule, verdict, got, verdict.allowed.accepts(got));
  witness.gauge = gauge_of(rule, verdict, got_bits);
  return witness;
}

}  // namespace assay::oracle
