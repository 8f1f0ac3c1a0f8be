// What the real-valued fills promise of their values.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "src/problem/case_text.h"
#include "src/problem/problem.h"
#include "tests/problem/parsed.h"
#include "tests/problem/product_view.h"

namespace assay {
namespace {

std::vector<double> x_values(const Problem& problem) {
  std::vector<double> values;
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    const ProductView view(problem, expert);
    for (Index row = 0; row < view.rows(); ++row) {
      for (Index k = 0; k < problem.spec.k; ++k) { values.push_back(view.x(row, k)); }
    }
  }
  return values;
}

TEST(NormalFill, HasTheMomentsOfANormalNumber) {
  const std::vector<double> values =
      x_values(made("pass=fwd in=fp32 k=512 n=1 rows=64*4 fill=normal"));
  double sum = 0, squares = 0, fourths = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_LE(std::abs(sum / count), 0.02);
  EXPECT_LE(std::abs(squares / count - 1), 0.02);
  EXPECT_LE(std::abs(fourths / count - 2.9), 0.1);  // of 12 summed uniform numbers: 3 - 6/60
  EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), values.size() * 99 / 100);
}

TEST(PositiveFill, LiesInTheUnitIntervalAndIsUniform) {
  for (const char* format : {"bf16", "fp16", "fp32", "e4m3", "e5m2"}) {
    const std::vector<double> values = x_values(
        made(std::string("pass=fwd out=fp32 k=512 n=1 rows=64*4 fill=positive in=") + format));
    double sum = 0;
    for (const double value : values) {
      ASSERT_GT(value, 0);
      ASSERT_LE(value, 1);
      sum += value;
    }
    EXPECT_LE(std::abs(sum / static_cast<double>(values.size()) - 0.5), 0.01) << format;
  }
}

TEST(LognormalFill, SpreadsSignsAndExponents) {
  const std::vector<double> values = x_values(made("pass=fwd k=512 n=1 rows=64*4 fill=lognormal"));
  int least = 0, most = 0;
  Index negative = 0;
  for (const double value : values) {
    least = std::min(least, std::ilogb(value));
    most = std::max(most, std::ilogb(value));
    negative += value < 0 ? 1 : 0;
  }
  EXPECT_LE(least, -7);
  EXPECT_GE(most, 7);
  const auto count = static_cast<Index>(values.size());
  EXPECT_GT(negative, count * 48 / 100);
  EXPECT_LT(negative, count * 52 / 100);
}

TEST(CancellingFill, OutputsAreFarBelowTheirGauge) {
  for (const char* words :
       {"pass=fwd k=96 n=32 rows=32,32,32", "pass=dgrad k=32 n=96 rows=32,32 weights=ekn",
        "pass=wgrad k=32 n=32 rows=96,64,128 out=fp32", "pass=fwd in=fp32 k=1000 n=8 rows=8",
        "pass=fwd in=fp16 k=2 n=32 rows=32"}) {
    const Problem problem = made(std::string(words) + " fill=cancelling");
    Index outputs = 0, zeros = 0;
    for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
      const ProductView view(problem, expert);
      for (Index m = 0; m < view.m(); ++m) {
        for (Index n = 0; n < view.n(); ++n) {
          const ExactOutput output = exact_output_of(view, m, n, 1);
          ++outputs;
          zeros += output.value == 0 ? 1 : 0;
          ASSERT_LE(std::abs(output.value), output.gauge / 32) << words;
        }
      }
    }
    EXPECT_LT(zeros, outputs / 2) << words;
  }
}

TEST(SpecialFill, PlantsEveryKindAndLeavesMostOutputsAlone) {
  for (const char* format : {"bf16", "fp16", "fp32", "e4m3", "e5m2"}) {
    for (const char* pass : {"fwd", "dgrad", "wgrad"}) {
      const Problem problem =
          made(std::string("out=fp32 k=48 n=48 rows=48,48,48,48 fill=special pass=") + pass +
               " in=" + format);
      Index nans = 0, infinities = 0, minus_zeros = 0, subnormals = 0, largest = 0;
      Index outputs = 0, finite = 0;
      const FormatTraits& shape = traits(problem.spec.in.a.format);
      for (Index expert = 0; expert < 4; ++expert) {
        const ProductView view(problem, expert);
        for (Index m = 0; m < view.m(); ++m) {
          for (Index r = 0; r < view.reduction(); ++r) {
            const double value = view.a(m, r);
            nans += std::isnan(value) ? 1 : 0;
            infinities += std::isinf(value) ? 1 : 0;
            minus_zeros += value == 0 && std::signbit(value) ? 1 : 0;
            subnormals += value != 0 && std::abs(value) < std::ldexp(1, shape.min_exponent) ? 1 : 0;
            largest += std::abs(value) == shape.max_finite ? 1 : 0;
          }
          for (Index n = 0; n < view.n(); ++n) {
            const ExactOutput output = exact_output_of(view, m, n, 1);
            ++outputs;
            if (!std::isfinite(output.gauge)) { continue; }
            ++finite;
            ASSERT_LT(output.gauge, 0x1p120);
          }
        }
      }
      EXPECT_GT(nans, 0) << format << pass;
      EXPECT_TRUE(infinities > 0 || problem.spec.in == Format::kE4m3) << format << pass;
      EXPECT_GT(minus_zeros, 0) << format << pass;
      EXPECT_GT(subnormals, 0) << format << pass;
      EXPECT_GT(largest, 0) << format << pass;
      EXPECT_GT(finite, outputs / 2) << format << pass;
      EXPECT_LT(finite, outputs) << format << pass;
    }
  }
}

TEST(EqualFill, AddsTheSameProductAgainAndAgain) {
  for (const char* pass : {"fwd", "dgrad", "wgrad"}) {
    const Problem problem =
        made(std::string("out=fp32 k=40 n=30 rows=20,50 fill=equal pass=") + pass);
    for (Index expert = 0; expert < 2; ++expert) {
      const ProductView view(problem, expert);
      std::set<double> columns;
      for (Index n = 0; n < view.n(); ++n) {
        for (Index m = 0; m < view.m(); ++m) {
          for (Index r = 0; r < view.reduction(); ++r) {
            ASSERT_EQ(view.a(m, r), view.a(0, 0)) << pass;
            ASSERT_EQ(view.b(r, n), view.b(0, n)) << pass;
          }
        }
        columns.insert(view.b(0, n));
      }
      EXPECT_GT(columns.size(), 20U) << pass;
    }
  }
}

// What one row of A holds.
struct ExtremesOfRow {
  Index nans = 0, infinities = 0;
};

TEST(ExtremeFill, RowsHoldNanAndInfinityTogether) {
  for (const char* pass : {"fwd", "dgrad", "wgrad"}) {
    Index both = 0, of_both_signs = 0, finite = 0;
    for (int seed = 0; seed < 4; ++seed) {
      const Problem problem = made(std::string("k=48 n=48 rows=48*4 fill=extreme pass=") + pass +
                                   " seed=" + std::to_string(seed));
      for (Index expert = 0; expert < 4; ++expert) {
        const ProductView view(problem, expert);
        for (Index m = 0; m < view.m(); ++m) {
          ExtremesOfRow row;
          for (Index r = 0; r < view.reduction(); ++r) {
            row.nans += std::isnan(view.a(m, r)) ? 1 : 0;
            row.infinities += std::isinf(view.a(m, r)) ? 1 : 0;
          }
          both += row.nans > 0 && row.infinities > 0 ? 1 : 0;
          of_both_signs += row.infinities > 1 ? 1 : 0;
          finite += row.nans + row.infinities == 0 ? 1 : 0;
        }
      }
    }
    EXPECT_GT(both, 30) << pass;
    EXPECT_GT(of_both_signs, 30) << pass;
    EXPECT_GT(finite, 16 * 48 / 2) << pass;
  }
}

TEST(ExtremeFill, DrawsEveryNanOfSixteenBits) {
  for (const char* format : {"bf16", "fp16"}) {
    std::map<std::uint32_t, Index> seen;
    for (int seed = 0; seed < 80; ++seed) {
      const Problem problem = made(std::string("pass=fwd k=2 n=1 rows=4000 fill=extreme in=") +
                                   format + " seed=" + std::to_string(seed));
      const DenseOperand& x = problem.operands.x;
      for (Index row = 0; row < x.rows; ++row) {
        for (Index k = 0; k < x.cols; ++k) {
          const std::uint32_t bits = load_bits(x.format, x.element(row, k));
          if (std::isnan(decode(x.format, bits))) { ++seen[bits]; }
        }
      }
    }
    const FormatTraits& row = *std::ranges::find(kFormatTraits, format, &FormatTraits::name);
    const std::size_t payloads = (std::size_t{1} << (row.significand_bits - 1)) - 1;
    EXPECT_EQ(seen.size(), 2 * payloads) << format;
    EXPECT_GT(seen[0xffff], 500) << format;
  }
}

// What both sides of a product hold of the largest value.
struct Largest {
  Index of_a = 0, of_b = 0, together = 0;
};

TEST(ExtremeFill, TheLargestIsOnBothSidesAndLeavesNoAccumulator) {
  for (const char* format : {"bf16", "fp16", "fp32"}) {
    Largest seen;
    for (int seed = 0; seed < 8; ++seed) {
      const Problem problem =
          made(std::string("pass=fwd out=fp32 k=9 n=8 rows=8*4 fill=extreme in=") + format +
               " seed=" + std::to_string(seed));
      const double largest = traits(problem.spec.in.a.format).max_finite;
      for (Index expert = 0; expert < 4; ++expert) {
        const ProductView view(problem, expert);
        for (Index m = 0; m < view.m(); ++m) {
          for (Index n = 0; n < view.n(); ++n) {
            for (Index r = 0; r < 9; ++r) {
              const bool a = std::abs(view.a(m, r)) == largest;
              const bool b = std::abs(view.b(r, n)) == largest;
              seen.of_a += a ? 1 : 0;
              seen.of_b += b ? 1 : 0;
              seen.together += a && b ? 1 : 0;
            }
            const double gauge = exact_output_of(view, m, n, 1).gauge;
            ASSERT_FALSE(std::isfinite(gauge) && gauge >= 0x1p120) << format;
          }
        }
      }
    }
    EXPECT_GT(seen.of_a, 0) << format;
    EXPECT_GT(seen.of_b, 0) << format;
    EXPECT_EQ(seen.together > 0, std::string_view(format) == "fp16") << format;
  }
}

TEST(RealFills, StayFiniteInFp16) {
  for (const char* fill : {"normal", "positive", "lognormal", "equal"}) {
    const Problem problem =
        made(std::string("pass=fwd in=fp16 k=65536 n=2 rows=2,2,2 fill=") + fill);
    for (Index expert = 0; expert < 3; ++expert) {
      const ProductView view(problem, expert);
      for (Index m = 0; m < 2; ++m) {
        for (Index n = 0; n < 2; ++n) {
          EXPECT_LT(std::abs(exact_output_of(view, m, n, 1).value), 65504) << fill;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
