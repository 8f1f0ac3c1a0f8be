#include "oracle/fast/screen.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "oracle/fast/simd.h"

namespace assay::oracle {
namespace {

constexpr int kDoubleFraction = 52;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Outweigh the roundings of the expressions that they stand in.
constexpr double kRelativeSlack = 0x1p-50;
constexpr double kUpwards = 1 + 0x1p-40;

template <class Storage>
ASSAY_SIMD_BODY void got_body(const ScreenRule& rule, const Storage* got, Index count, double* low,
                              double* high) {
  const std::int64_t half = std::int64_t{1} << (rule.shift - 1);
  const std::int64_t sign_bit = rule.sign_bit, max_finite = rule.max_finite;
  const int shift = rule.shift;
  const double scale = rule.scale;
  const double above_largest = rule.saturates ? kInfinity : 0;
  for (Index i = 0; i < count; ++i) {
    const std::int64_t bits = got[i];
    const std::int64_t magnitude = bits & (sign_bit - 1);
    const std::int64_t place = magnitude << shift;
    const double up = std::bit_cast<double>(place + half) * scale;
    const double down = std::bit_cast<double>(place - half) * scale;
    const double far = magnitude == max_finite ? up + above_largest : up;
    const double near = magnitude == 0 ? -up : down;
    const double below = bits >= sign_bit ? -far : near;
    const double above = bits >= sign_bit ? -near : far;
    low[i] = magnitude > max_finite ? kNan : below;
    high[i] = magnitude > max_finite ? kNan : above;
  }
}
#define ASSAY_GOT_FUNCTION(name, storage)                                                   \
  ASSAY_SIMD_FUNCTION(                                                                      \
      name, got_body,                                                                       \
      (const ScreenRule& rule, const storage* got, Index count, double* low, double* high), \
      (rule, got, count, low, high))
ASSAY_GOT_FUNCTION(got8, std::uint8_t)
ASSAY_GOT_FUNCTION(got16, std::uint16_t)
ASSAY_GOT_FUNCTION(got32, std::uint32_t)
#undef ASSAY_GOT_FUNCTION

ASSAY_SIMD_BODY void pad_body(const ScreenRule& rule, const double* y, const double* gauge,
                              Index count, double* pad) {
  const ScreenRule terms = rule;
  for (Index i = 0; i < count; ++i) {
    const double gauge_high = gauge[i] * terms.gauge_up;
    // The second term covers the rounding of y +- pad.
    const double error = terms.error_slope * gauge_high * kUpwards + std::abs(y[i]) * 0x1p-52;
    pad[i] = gauge_high <= terms.exact_up_to ? 0 : error;
  }
}
ASSAY_SIMD_FUNCTION(pad_dispatch, pad_body,
                    (const ScreenRule& rule, const double* y, const double* gauge, Index count,
                     double* pad),
                    (rule, y, gauge, count, pad))

ASSAY_SIMD_BODY void outputs_body(const ScreenRule& rule, ScreenRow& row) {
  const ErrorBound bound{rule.slope, rule.floor, rule.overflow_from};
  const double gauge_down = rule.gauge_down, gauge_up = rule.gauge_up;
  const double worst_ratio = row.worst_ratio;
  const double *values = row.y, *gauges = row.gauge, *pads = row.pad;
  const double *lows = row.got_low, *highs = row.got_high;
  double* status = row.status;
  std::uint64_t beats = 0;
  for (Index i = 0; i < row.count; ++i) {
    const double y = values[i], pad = pads[i];
    const double gauge_high = gauges[i] * gauge_up;
    const double least = bound.at(gauges[i] * gauge_down), most = bound.at(gauge_high);
    const double under = lows[i] - y, over = y - highs[i];
    const double distance = under > over ? under : over;
    const double slack = (std::abs(distance) + most + pad) * kRelativeSlack;
    // NaN distances make both false.
    const double right = distance + slack < least - pad ? 1 : 0;
    const double wrong = distance - slack > most + pad ? 1 : 0;
    const double decided = gauge_high < bound.overflow_from ? right + wrong : 0;
    status[i] = kScreenUndecided * (1 - decided) + kScreenWrong * (wrong * decided);
    const double limit = worst_ratio * most;
    beats |=
        static_cast<std::uint64_t>(distance > limit) & static_cast<std::uint64_t>(distance > 0);
  }
  row.beats_worst = beats != 0;
}
ASSAY_SIMD_FUNCTION(outputs_dispatch, outputs_body, (const ScreenRule& rule, ScreenRow& row),
                    (rule, row))

ASSAY_SIMD_BODY void answer_body(const ScreenRule& rule, const ScreenRow& row, const double* answer,
                                 bool& rejected) {
  const ScreenRule form = rule;
  const ErrorBound bound{form.slope, form.floor, form.overflow_from};
  const double *values = row.y, *gauges = row.gauge, *pads = row.pad;
  double* status = row.status;
  const double unscale = 1 / form.scale;
  const std::int64_t half = std::int64_t{1} << (form.shift - 1);
  const std::int64_t last = static_cast<std::int64_t>(form.max_finite) << form.shift;
  const double above_largest = form.saturates ? kInfinity : 0;
  const Index count = row.count;
  std::uint64_t any = 0;
  for (Index i = 0; i < count; ++i) {
    const double y = values[i], pad = pads[i];
    const auto place = std::bit_cast<std::int64_t>(std::abs(answer[i]) * unscale);
    const double up = std::bit_cast<double>(place + half) * form.scale;
    const double down = std::bit_cast<double>(place - half) * form.scale;
    const double far = place == 0 ? form.zero_reach : place == last ? up + above_largest : up;
    const double near = place == 0 ? -form.zero_reach : down;
    // Towards the answer from zero.
    const double along = std::copysign(1.0, answer[i]) * y;
    const double under = near - along, over = along - far;
    const double distance = under > over ? under : over;
    const double gauge_high = gauges[i] * form.gauge_up;
    const double least = bound.at(gauges[i] * form.gauge_down), most = bound.at(gauge_high);
    const double slack = (std::abs(distance) + most + pad) * kRelativeSlack;
    // What is left open already may have no such y.
    const bool sure =
        status[i] != kScreenUndecided && place <= last && gauge_high < bound.overflow_from;
    const double right = sure && distance + slack < least - pad ? 1 : 0;
    const double wrong = sure && distance - slack > most + pad ? 1 : 0;
    any |= std::bit_cast<std::uint64_t>(wrong);
    status[i] = right + wrong != 0 ? status[i] : kScreenUndecided;
  }
  rejected = any != 0;
}
ASSAY_SIMD_FUNCTION(answer_dispatch, answer_body,
                    (const ScreenRule& rule, const ScreenRow& row, const double* answer,
                     bool& rejected),
                    (rule, row, answer, rejected))

ASSAY_SIMD_BODY double round_value(const ScreenRule& rule, double value) {
  const double magnitude = std::abs(value);
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  const std::uint64_t unit = std::uint64_t{1} << rule.shift;
  const std::uint64_t odd = (bits >> rule.shift) & 1;
  const double normal = std::bit_cast<double>((bits + (unit / 2 - 1) + odd) & ~(unit - 1));
  const double subnormal = (magnitude + rule.to_grid) - rule.to_grid;
  const double rounded = magnitude < rule.smallest_normal ? subnormal : normal;
  return std::copysign(rounded > rule.largest ? rule.beyond : rounded, value);
}

ASSAY_SIMD_BODY void rounding_body(const ScreenRule& rule, const double* y, const double* pad,
                                   Index count, double factor, double* rounded) {
  const ScreenRule form = rule;
  const bool scaled = factor != 1;
  // Covers the factor's own rounding, and the pad grown by it.
  const double relative = scaled ? 0x1p-51 : 0, growth = scaled ? 1.0625 : 1;
  for (Index i = 0; i < count; ++i) {
    const double value = y[i] * factor;
    const double error = pad[i] * growth + std::abs(value) * relative;
    const double low = round_value(form, value - error);
    const double high = round_value(form, value + error);
    rounded[i] = low == high ? low : kNan;
  }
}
ASSAY_SIMD_FUNCTION(rounding_dispatch, rounding_body,
                    (const ScreenRule& rule, const double* y, const double* pad, Index count,
                     double factor, double* rounded),
                    (rule, y, pad, count, factor, rounded))

ASSAY_SIMD_BODY void bits_body(const ScreenRule& rule, const double* rounded, Index count,
                               std::uint32_t* bits) {
  const ScreenRule form = rule;
  const double unscale = 1 / form.scale;
  const std::uint64_t infinite = std::uint64_t{form.max_finite} + 1;
  for (Index i = 0; i < count; ++i) {
    const double magnitude = std::abs(rounded[i]);
    const std::uint64_t place = std::bit_cast<std::uint64_t>(magnitude * unscale) >> form.shift;
    const std::uint64_t sign = std::bit_cast<std::uint64_t>(rounded[i]) >> 63;
    const std::uint64_t code = magnitude > form.largest ? infinite : place;
    bits[i] = static_cast<std::uint32_t>(code | sign * form.sign_bit);
  }
}
ASSAY_SIMD_FUNCTION(bits_dispatch, bits_body,
                    (const ScreenRule& rule, const double* rounded, Index count,
                     std::uint32_t* bits),
                    (rule, rounded, count, bits))

ASSAY_SIMD_BODY void unknown_body(const double* answer, Index count, double* status) {
  for (Index i = 0; i < count; ++i) {
    status[i] = answer[i] == answer[i] ? status[i] : kScreenUndecided;
  }
}
ASSAY_SIMD_FUNCTION(unknown_dispatch, unknown_body,
                    (const double* answer, Index count, double* status), (answer, count, status))

ASSAY_SIMD_BODY void different_body(const double* answer, const double* rounded,
                                    const double* status, Index count, Index& total) {
  Index found = 0;
  for (Index i = 0; i < count; ++i) {
    found += static_cast<Index>(answer[i] != rounded[i]) &
             static_cast<Index>(status[i] != kScreenUndecided);
  }
  total = found;
}
ASSAY_SIMD_FUNCTION(different_dispatch, different_body,
                    (const double* answer, const double* rounded, const double* status, Index count,
                     Index& total),
                    (answer, rounded, status, count, total))

}  // namespace

ScreenRule screen_rule(const Rule& rule, const EnclosureTerms& terms) {
  const FormatShape form = shape(rule.format);
  ScreenRule screen;
  screen.shift = kDoubleFraction - form.fraction_bits();
  screen.scale = std::ldexp(1.0, 1022 + form.min_exponent);
  screen.sign_bit = form.sign_bit();
  screen.max_finite = form.max_finite;
  screen.largest = to_double(rule.format, form.max_finite);
  screen.beyond = rule.saturates ? screen.largest : kInfinity;
  screen.smallest_normal = std::ldexp(1.0, form.min_exponent);
  screen.to_grid = std::ldexp(1.0, kDoubleFraction + form.min_exponent - form.fraction_bits());
  screen.saturates = rule.saturates;
  // RN(y - E) and RN(y + E) may reach the smallest normal number: tiny before they were rounded.
  const Place tiny = rule.flushes_output() ? Place{1} << form.fraction_bits() : 0;
  screen.zero_reach = midpoint_above(rule.format, tiny);
  screen.slope = rule.bound.slope;
  screen.floor = rule.bound.floor;
  screen.overflow_from = rule.bound.overflow_from;
  screen.error_slope = terms.error_slope;
  screen.exact_up_to = terms.exact_up_to;
  screen.gauge_down = terms.gauge_down;
  screen.gauge_up = terms.gauge_up;
  return screen;
}

void screen_got(const ScreenRule& rule, const char* got, int size_bytes, Index count, double* low,
                double* high) {
  switch (size_bytes) {
    case 1:
      return got8(rule, reinterpret_cast<const std::uint8_t*>(got), count, low, high);
    case 2:
      return got16(rule, reinterpret_cast<const std::uint16_t*>(got), count, low, high);
    default:
      return got32(rule, reinterpret_cast<const std::uint32_t*>(got), count, low, high);
  }
}

void screen_pad(const ScreenRule& rule, const double* y, const double* gauge, Index count,
                double* pad) {
  pad_dispatch(rule, y, gauge, count, pad);
}

void screen_bits(const ScreenRule& rule, const double* rounded, Index count, std::uint32_t* bits) {
  bits_dispatch(rule, rounded, count, bits);
}

void screen_outputs(const ScreenRule& rule, ScreenRow& row) { outputs_dispatch(rule, row); }

bool screen_answer(const ScreenRule& rule, const ScreenRow& row, const double* answer) {
  bool rejected = false;
  answer_dispatch(rule, row, answer, rejected);
  return rejected;
}

void screen_rounding(const ScreenRule& rule, const double* y, const double* pad, Index count,
                     double factor, double* rounded) {
  rounding_dispatch(rule, y, pad, count, factor, rounded);
}

void screen_unknown(const double* answer, Index count, double* status) {
  unknown_dispatch(answer, count, status);
}

Index screen_different(const double* answer, const double* rounded, const double* status,
                       Index count) {
  Index total = 0;
  different_dispatch(answer, rounded, status, count, total);
  return total;
}

}  // namespace assay::oracle
