#include "oracle/fast/enclosed_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Directed sums and products: the exact one where it is a double, else the next double on the side.
double residue(double x, double y, double sum) {
  const double part = sum - x;
  return (x - (sum - part)) + (y - part);
}
double sum_down(double x, double y) {
  const double sum = x + y;
  return residue(x, y, sum) < 0 ? std::nextafter(sum, -kInfinity) : sum;
}
double sum_up(double x, double y) { return -sum_down(-x, -y); }

double product_down(double x, double y) {
  const double product = x * y;
  return std::fma(x, y, -product) < 0 ? std::nextafter(product, -kInfinity) : product;
}
double product_up(double x, double y) { return -product_down(-x, y); }

}  // namespace

EnclosedVerdict::EnclosedVerdict(const Rule& rule, const Enclosed& element) {
  const Format format = rule.format;
  rounded_.low = rule.clamp(round_to_line(format, element.y_low));
  rounded_.high = rule.clamp(round_to_line(format, element.y_high));
  may_overflow_ = !(element.gauge_high < rule.bound.overflow_from);
  const double least = rule.bound.at(element.gauge_low), most = rule.bound.at(element.gauge_high);
  const auto place = [&](double value) { return rule.clamp(round_to_line(format, value)); };
  surely_.format = possibly_.format = format;
  surely_.flushes = possibly_.flushes = rule.flushes_output();
  possibly_.lowest = place(sum_down(element.y_low, -most));
  surely_.lowest = place(sum_up(element.y_high, -least));
  surely_.highest = place(sum_down(element.y_low, least));
  possibly_.highest = place(sum_up(element.y_high, most));
}

EnclosedVerdict EnclosedVerdict::special(const Rule& rule, double value, double gauge_high,
                                         bool or_nan) {
  EnclosedVerdict verdict;
  verdict.may_overflow_ = !(gauge_high < rule.bound.overflow_from);
  verdict.surely_.format = rule.format;
  verdict.surely_.or_nan = or_nan;
  verdict.rounded_.nan = verdict.surely_.nan = std::isnan(value);
  if (!std::isnan(value)) {
    const Place place = rule.clamp(round_to_line(rule.format, value));
    verdict.rounded_.low = verdict.rounded_.high = place;
    verdict.surely_.lowest = verdict.surely_.highest = place;
  }
  verdict.possibly_ = verdict.surely_;
  return verdict;
}

Answer EnclosedVerdict::accepts(const Point& got) const {
  if (may_overflow_) { return Answer::kUndecided; }
  if (surely_.accepts(got)) { return Answer::kYes; }
  return possibly_.accepts(got) ? Answer::kUndecided : Answer::kNo;
}

Answer EnclosedVerdict::accepts(const Points& answer) const {
  const Answer low = accepts(Point{answer.nan, answer.low});
  const Answer high = accepts(Point{answer.nan, answer.high});
  if (low == high && low == Answer::kYes) { return Answer::kYes; }
  // Two rejected ends reject all between them only from one side.
  const bool holds_zero = answer.low < 0 && answer.high > 0;
  if (holds_zero && possibly_.accepts_flushed()) { return Answer::kUndecided; }
  const bool outside = answer.high < possibly_.lowest || answer.low > possibly_.highest;
  const bool rejected = low == Answer::kNo && high == Answer::kNo;
  return rejected && (outside || answer.low == answer.high) ? Answer::kNo : Answer::kUndecided;
}

Answer differ(const EnclosedVerdict::Points& one, const EnclosedVerdict::Points& other) {
  if (one.nan || other.nan) { return one.nan == other.nan ? Answer::kNo : Answer::kYes; }
  if (one.high < other.low || other.high < one.low) { return Answer::kYes; }
  const bool decided = one.low == one.high && other.low == other.high;
  return decided ? Answer::kNo : Answer::kUndecided;
}

EnclosedVerdict::Points scaled_points(const Rule& rule, const Enclosed& element) {
  EnclosedVerdict::Points points;
  points.low = rule.clamp(round_to_line(rule.format, product_down(element.y_low, kScaledFactor)));
  points.high = rule.clamp(round_to_line(rule.format, product_up(element.y_high, kScaledFactor)));
  return points;
}

}  // namespace assay::oracle
