#include "oracle/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/model/model.h"

namespace assay::oracle {
namespace {

constexpr double kUnitFp32 = 0x1p-24;
// Beats every threshold with any S that is not zero, and stays finite with the largest.
constexpr double kVacuousSlope = 0x1p700;
constexpr int kUndeclaredSplits = 64;

// A non-negative double whose arithmetic rounds up.
struct Up {
  double value = 0;

  static Up next(double value) {
    return {std::nextafter(value, std::numeric_limits<double>::infinity())};
  }
  friend Up operator+(Up x, Up y) { return next(x.value + y.value); }
  friend Up operator*(Up x, Up y) {
    return x.value == 0 || y.value == 0 ? Up{0} : next(x.value * y.value);
  }
};
Up power(int exponent) { return {std::ldexp(1.0, exponent)}; }
Up count(Index number) { return {static_cast<double>(number)}; }

Up unit_of(Format format) { return power(-shape(format).significand_bits); }
Up quantum_of(Format format) {
  return power(shape(format).min_exponent - shape(format).fraction_bits());
}

// delta / (1 - delta), vacuous from 1 on. Two steps up outweigh the roundings of 1 - delta and of
// the quotient.
Up quotient_up(Up delta) {
  if (!(delta.value < 1)) { return {kVacuousSlope}; }
  return Up::next(Up::next(delta.value / (1 - delta.value)).value);
}

// Error of one call as slope * S + floor.
struct Line {
  Up slope, floor;
};

// Undeclared arithmetic as the coarsest one known: Volta's step for 16-bit operands and what
// integers are converted to, Ada's for 8-bit ones, fp32 for fp32 operands that are not converted.
Arithmetic resolve(const Arithmetic& arithmetic, const Reduction& reduction) {
  if (arithmetic.kind != Arithmetic::Kind::kUndeclared) { return arithmetic; }
  Arithmetic resolved = arithmetic;
  resolved.splits = std::max(arithmetic.splits, kUndeclaredSplits);
  const int widest_bytes = std::max(shape(reduction.a).size_bytes, shape(reduction.b).size_bytes);
  resolved.kind = Arithmetic::Kind::kStep;
  const bool integers = shape(reduction.a).integer && shape(reduction.b).integer;
  if (widest_bytes == 1 && !integers) {
    resolved.products_per_step = 16;
    resolved.fraction_bits = 13;
    resolved.out_bits = 13;
  } else if (widest_bytes <= 2 || arithmetic.conversion != Conversion::kNone) {
    resolved.products_per_step = 4;
    resolved.fraction_bits = 23;
    resolved.out_bits = 23;
  } else {
    resolved.kind = Arithmetic::Kind::kFp32;
  }
  return resolved;
}

// Bound of sum |a'||b'| - sum |a||b|, where a' and b' are raised to the smallest normal number if
// they are asked for.
struct Raised {
  bool a = true, b = true;
};
Up subnormal_excess(const Reduction& reduction, const Arithmetic& arithmetic, Raised raised) {
  const auto normal = [&](Format format, const OperandRange& range) {
    return power(shape(converted_format(format, arithmetic.conversion)).min_exponent) *
           Up{range.scales.largest} * Up{range.scales.tensor};
  };
  const Up normal_a = normal(reduction.a, reduction.a_range);
  const Up normal_b = normal(reduction.b, reduction.b_range);
  const Up largest_a{std::max(reduction.a_range.largest, normal_a.value)};
  const Up largest_b{std::max(reduction.b_range.largest, normal_b.value)};
  Up excess;
  if (raised.a && reduction.a_range.subnormal) { excess = excess + normal_a * largest_b; }
  if (raised.b && reduction.b_range.subnormal) { excess = excess + normal_b * largest_a; }
  return count(reduction.length) * excess;
}

// Of the codes alone. Wider formats have no scales: their elements are their codes.
double largest_code(Format format, const OperandRange& range) {
  if (shape(format).size_bytes > 1) { return range.largest; }
  return largest_of(format);
}

// What the scales add to a call.
void add_scaling(const Reduction& reduction, Up eta, Line& line) {
  const Up one{1};
  const Up roundings = count(4 + reduction.tensor_scales);
  line.slope = line.slope + roundings * Up{kUnitFp32} * (one + line.slope);
  const OperandRange &a = reduction.a_range, &b = reduction.b_range;
  const Up codes = Up{largest_code(reduction.a, a)} * Up{largest_code(reduction.b, b)};
  Up factors =
      one + codes + Up{a.scales.largest} + Up{b.scales.largest} + Up{a.largest} + Up{b.largest};
  if (reduction.tensor_scales > 0) {
    // What underflows may meet any of the others.
    const auto widened = [&](double factor) { return one + Up{factor}; };
    factors = (one + codes) * widened(a.scales.largest) * widened(b.scales.largest) *
              widened(a.scales.tensor) * widened(b.scales.tensor);
  }
  line.floor = line.floor + count(reduction.length) * eta * factors;
}

// Whether a product of scales, or of a scale and a sum of codes, may leave the range of fp32.
bool scales_may_overflow(const Reduction& reduction) {
  const auto wide = [](const OperandRange& range) {
    return std::max(1.0, range.scales.largest) * std::max(1.0, range.scales.tensor);
  };
  const OperandRange &a = reduction.a_range, &b = reduction.b_range;
  return reduction.scaled && static_cast<double>(reduction.length) * largest_code(reduction.a, a) *
                                     largest_code(reduction.b, b) * wide(a) * wide(b) >=
                                 0x1p127;
}

// From the sum's S to that of its product with the output's scale.
void add_out_scale(const Reduction& reduction, Up eta, Line& line) {
  const Up one{1};
  line.slope = line.slope + Up{2 * kUnitFp32} * (one + line.slope);
  // Ranges of operands do not know the scale; what it is multiplied into may underflow.
  line.floor = line.floor * Up{reduction.out_factor} +
               eta * (one + Up{reduction.out_factor}) * count(reduction.length);
}

Line one_call(const Arithmetic& arithmetic, const Reduction& reduction) {
  const Index terms = reduction.length + (reduction.accumulates ? 1 : 0);
  const bool steps = arithmetic.kind == Arithmetic::Kind::kStep;
  const Index per_step = std::max(arithmetic.products_per_step, 1);
  const Index splits = std::max(arithmetic.splits, 1);
  // Products that one chain of steps adds up before their sum moves on.
  const Index interval = arithmetic.promotion_interval > 0
                             ? std::min<Index>(arithmetic.promotion_interval, terms)
                             : terms;
  const bool promotes = steps && interval < terms;
  const Index promotions = promotes ? (terms + interval - 1) / interval + splits - 1 : 0;
  const Index step_count = steps ? (interval + per_step - 1) / per_step + splits - 1 : terms;

  Line line;
  if (arithmetic.kind == Arithmetic::Kind::kInt32) {
    const Index roundings = reduction.sums + (reduction.accumulates ? 1 : 0);
    line.slope = quotient_up(count(roundings) * Up{kUnitFp32});
  } else if (steps) {
    const Up delta = count(interval) * power(-arithmetic.fraction_bits) +
                     count(step_count) * power(-arithmetic.out_bits);
    line.slope = quotient_up(delta);
    line.floor = line.slope * subnormal_excess(reduction, arithmetic, {});
    if (promotes) {
      line.slope = line.slope + count(promotions) * Up{kUnitFp32} * (Up{1} + line.slope);
    }
  } else {
    line.slope = count(terms) * Up{kUnitFp32};
  }
  const Flushing& flushing = arithmetic.subnormals;
  // C is an fp32 operand of each call.
  const bool flushes_c = reduction.accumulates && flushing.input(Format::kFp32);
  const Up eta = flushing.sums() || flushes_c ? power(-126) : power(-149);
  if (reduction.scaled) { add_scaling(reduction, eta, line); }
  const Up one{1};
  if (splits > 1 || (steps && reduction.accumulates)) {
    line.slope = line.slope + count(splits) * Up{kUnitFp32} * (one + line.slope);
  }
  if (splits > 1 && arithmetic.partials != Format::kFp32) {
    const Up unit = unit_of(arithmetic.partials);
    line.slope = line.slope + count(splits) * unit * (one + unit) * (one + line.slope);
    const bool flushed = arithmetic.subnormals.output(arithmetic.partials);
    line.floor =
        line.floor + count(splits) * (flushed ? power(shape(arithmetic.partials).min_exponent)
                                              : quantum_of(arithmetic.partials));
  }
  const Index chains = promotes ? promotions : 1;
  line.floor = line.floor + count(terms + chains * step_count + promotions) * eta;
  const auto flushed = [&](Format format) {
    return flushing.input(converted_format(format, arithmetic.conversion));
  };
  line.floor =
      line.floor + subnormal_excess(reduction, arithmetic,
                                    {.a = flushed(reduction.a), .b = flushed(reduction.b)});
  if (reduction.out_scaled) { add_out_scale(reduction, eta, line); }
  return line;
}

// e = d + slope (S + d) + floor; the next call starts from d = e + u (S + e) + quantum / 2.
Line over_calls(const Line& call, const Reduction& reduction) {
  const Up unit = unit_of(reduction.out), one{1};
  const Up half_quantum = quantum_of(reduction.out) * Up{0.5};
  Line stored, error = call;
  for (int done = 1; done < reduction.times; ++done) {
    stored.slope = error.slope + unit * (one + error.slope);
    stored.floor = error.floor * (one + unit) + half_quantum;
    error.slope = stored.slope + call.slope * (one + stored.slope);
    error.floor = stored.floor + call.floor + call.slope * stored.floor;
    if (!(error.slope.value < kVacuousSlope)) { break; }
  }
  return error;
}

double overflow_threshold(const Arithmetic& arithmetic, const Reduction& reduction) {
  if (scales_may_overflow(reduction)) { return 0; }
  double threshold = 0x1p127;
  const auto limit_to = [&](Format format) {
    threshold = std::min(threshold, std::ldexp(1.0, shape(format).max_exponent));
  };
  if (arithmetic.splits > 1) { limit_to(arithmetic.partials); }
  if (reduction.times > 1) { limit_to(reduction.out); }
  // Of the sum before it is scaled, or after.
  return reduction.out_scaled ? threshold * std::min(1.0, reduction.out_factor) : threshold;
}

}  // namespace

Reduction reduction_of(const Product& product, const Arithmetic& arithmetic, const OperandRange& a,
                       const OperandRange& b) {
  const Index interval = promoted_interval(product, arithmetic);
  return {.length = product.a.cols,
          .a = product.a.format,
          .b = product.b.format,
          .out = product.got.format,
          .accumulates = product.c.data != nullptr || product.times > 1,
          .times = product.times,
          .scaled = product.is_scaled(),
          .tensor_scales =
              (product.a.scales.tensor_scale ? 1 : 0) + (product.b.scales.tensor_scale ? 1 : 0),
          .out_scaled = product.out_scale.has_value(),
          .out_factor = product.out_factor(),
          .sums = (product.a.cols + interval - 1) / interval,
          .a_range = a,
          .b_range = b};
}

ErrorBound error_bound(const Arithmetic& arithmetic, const Reduction& reduction) {
  ErrorBound bound = exact_bound(arithmetic, reduction);
  if (reduction.length == 0) {
    return bound;  // nothing is added: zero, or C kept
  }
  const Line line = over_calls(one_call(resolve(arithmetic, reduction), reduction), reduction);
  bound.slope = std::min(line.slope.value, kVacuousSlope);
  bound.floor = std::min(line.floor.value, kVacuousSlope);
  return bound;
}

ErrorBound exact_bound(const Arithmetic& arithmetic, const Reduction& reduction) {
  return {.overflow_from = overflow_threshold(arithmetic, reduction)};
}

}  // namespace assay::oracle
