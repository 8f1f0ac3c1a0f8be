// The screen against the rule that it speaks for: answers at the very edge of the bound.
#include "oracle/fast/screen.h"

#include <cmath>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "oracle/exact/exact.h"

namespace assay::oracle {
namespace {

struct Edge {
  Rule rule;
  double y = 0, gauge = 0;
  double answer = 0;    // a number of the format
  double relative = 0;  // E over the distance from y to the reals that round to it, less 1
};

double number_at(Format format, Place place) {
  const double size = to_double(format, bits_at(format, std::abs(place)));
  return place < 0 ? -size : size;
}

// E reaches the answer's neighbourhood, or falls short of it, by a relative 2^-4 down to 2^-45.
Edge draw_edge(std::mt19937_64& random) {
  const auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  Edge edge;
  Rule& rule = edge.rule;
  constexpr Format kLines[] = {Format::kBf16, Format::kFp16, Format::kFp32,
                               Format::kE4m3, Format::kE5m2, Format::kE2m1};
  rule.format = kLines[random() % std::size(kLines)];
  rule.saturates = below(4) == 0;
  if (below(3) == 0) { rule.subnormals = {.inputs = 0xFF, .outputs = 0xFF}; }
  const Place largest = infinite_place(rule.format) - 1;
  const Place normal = Place{1} << shape(rule.format).fraction_bits();
  const Place places[] = {
      0,          1,          normal - 1, normal,
      normal + 1, 2 * normal, largest,    static_cast<Place>(random() % largest)};
  const Place place = places[random() % std::size(places)] * (below(2) == 0 ? 1 : -1);
  edge.answer = number_at(rule.format, place);
  // Zero reaches as far as results that may be flushed.
  const bool flushed = place == 0 && rule.flushes_output();
  const bool inside = place != 0 && below(2) == 0;
  const Place border_place = flushed ? normal : std::abs(place) - (inside ? 1 : 0);
  const double border = midpoint_above(rule.format, border_place);
  const double distance = std::ldexp(border, -1 - below(12));
  edge.y = std::copysign(inside ? border - distance : border + distance, edge.answer);
  edge.relative = std::ldexp(below(2) == 0 ? 1 : -1, -4 - below(42));
  const double bound = distance * (1 + edge.relative);
  edge.gauge = std::abs(edge.y) * (1 + below(100));
  const double share = below(3) / 2.0;
  rule.bound = {
      .slope = share * bound / edge.gauge, .floor = (1 - share) * bound, .overflow_from = HUGE_VAL};
  return edge;
}

// Of a product where y' = y.
EnclosureTerms exact_terms() {
  EnclosureTerms terms;
  terms.exact_up_to = HUGE_VAL;
  return terms;
}

// Right, wrong or undecided, as the screen has it of an answer.
double screened(const Edge& edge) {
  double pad = 0, status = kScreenRight;
  const ScreenRow row{
      .count = 1, .y = &edge.y, .gauge = &edge.gauge, .pad = &pad, .status = &status};
  const bool rejected = screen_answer(screen_rule(edge.rule, exact_terms()), row, &edge.answer);
  return rejected ? kScreenWrong : status;
}

bool accepted(const Edge& edge) {
  ExactValue exact;
  exact.value = to_fixed(edge.y);
  exact.gauge = to_fixed(edge.gauge);
  const Point point{.place = round_to_line(edge.rule.format, edge.answer)};
  return judge_value(edge.rule, exact).allowed.accepts(point);
}

TEST(Screen, AnswersAtTheEdgeOfTheBoundAreThoseOfTheRule) {
  std::mt19937_64 random(3);
  Index right = 0, wrong = 0;
  for (int round = 0; round < 100000; ++round) {
    const Edge edge = draw_edge(random);
    const double status = screened(edge);
    const bool truth = accepted(edge);
    if (status == kScreenUndecided) {
      // So close that fp64 cannot tell.
      ASSERT_LT(std::abs(edge.relative), 0x1p-44) << round << ": " << edge.y;
      continue;
    }
    ASSERT_EQ(status == kScreenRight, truth) << round << ": " << edge.y << " " << edge.answer;
    (truth ? right : wrong) += 1;
  }
  EXPECT_GT(right, 30000);
  EXPECT_GT(wrong, 30000);
}

// The same with an enclosure of y that is wider than what it lacks to the border.
TEST(Screen, AnUncertainResultNearTheEdgeIsLeftOpen) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 10000; ++round) {
    const Edge edge = draw_edge(random);
    const ScreenRule rule = screen_rule(edge.rule, exact_terms());
    const double distance = edge.rule.bound.at(edge.gauge) / (1 + edge.relative);
    double pad = 1.01 * std::abs(edge.relative) * distance, status = kScreenRight;
    const ScreenRow row{
        .count = 1, .y = &edge.y, .gauge = &edge.gauge, .pad = &pad, .status = &status};
    ASSERT_FALSE(screen_answer(rule, row, &edge.answer)) << round;
    if (edge.rule.saturates) { continue; }
    ASSERT_EQ(status, kScreenUndecided) << round << ": " << edge.y << " " << edge.answer;
  }
}

}  // namespace
}  // namespace assay::oracle
