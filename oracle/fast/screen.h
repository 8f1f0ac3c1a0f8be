// Screen: decides most elements of a row at once, in fp64 and many side by side. What it is not
// sure of it leaves to EnclosedVerdict; what it says is what that would say.
#pragma once

#include <cstdint>

#include "oracle/fast/enclosure.h"
#include "oracle/rule.h"

namespace assay::oracle {

// Constants of one product.
struct ScreenRule {
  // Magnitude m of the output format, as the fp64 pattern m << shift with another exponent bias:
  // times scale it is the value, and half a step up or down the midpoints around it.
  int shift = 0;
  double scale = 1;
  std::uint32_t sign_bit = 0, max_finite = 0;
  double largest = 0, beyond = 0;  // what numbers above the largest become
  double smallest_normal = 0;
  double to_grid = 0;  // x + to_grid - to_grid rounds a subnormal result
  bool saturates = false;
  double zero_reach = 0;  // a zero stands for what lies closer to it, flushed results included

  double slope = 0, floor = 0, overflow_from = 0;  // of the bound
  double error_slope = 0, exact_up_to = 0, gauge_down = 1, gauge_up = 1;
};
ScreenRule screen_rule(const Rule& rule, const EnclosureTerms& terms);

// Reals strictly between low and high round to got; both NaN where got is not finite.
void screen_got(const ScreenRule& rule, const char* got, int size_bytes, Index count, double* low,
                double* high);

// |y' - y| is at most pad.
void screen_pad(const ScreenRule& rule, const double* y, const double* gauge, Index count,
                double* pad);

// What an element is found to be; doubles, so that every lane has one width.
inline constexpr double kScreenRight = 0, kScreenWrong = 1, kScreenUndecided = 2;

struct ScreenRow {
  Index count = 0;
  const double* y = nullptr;
  const double* gauge = nullptr;  // zeros where the rule does not need it
  const double* got_low = nullptr;
  const double* got_high = nullptr;
  double worst_ratio = 0;
  double* pad = nullptr;     // out: |y' - y| is at most this
  double* status = nullptr;  // out
  bool beats_worst = false;  // out: some ratio may exceed worst_ratio
};
void screen_outputs(const ScreenRule& rule, ScreenRow& row);

// Whether the rule accepts an answer of numbers of the output format in what the row has decided so
// far: makes elements undecided where that is not sure; true where some element surely rejects it.
bool screen_answer(const ScreenRule& rule, const ScreenRow& row, const double* answer);

// RN(factor * y) as a number, NaN where it is undecided. factor is 1 or kScaledFactor.
void screen_rounding(const ScreenRule& rule, const double* y, const double* pad, Index count,
                     double factor, double* rounded);

// The bits of numbers of the output format, as screen_rounding gives them, each sign kept.
void screen_bits(const ScreenRule& rule, const double* rounded, Index count, std::uint32_t* bits);

// Makes elements undecided whose answer is NaN.
void screen_unknown(const double* answer, Index count, double* status);
// How many decided elements differ.
Index screen_different(const double* answer, const double* rounded, const double* status,
                       Index count);

}  // namespace assay::oracle
