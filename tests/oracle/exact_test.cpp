#include "oracle/exact/exact.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "oracle/judge.h"
#include "tests/oracle/cases.h"

namespace assay::oracle {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;

Rational rational(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const Integer power = Integer(1) << std::abs(exponent - 53);
  const Integer significand(std::ldexp(fraction, 53));
  // Not divided: quotients of zero are not in lowest terms in every release of Boost.
  return exponent >= 53 ? Rational(significand * power) : Rational(significand, power);
}

Rational rational(const Fixed& value) {
  return Rational(Integer(value), Integer(1) << -kFixedExponent);
}

TEST(ExactDot, CancelsToTheLastBit) {
  // 2^100 + 2^-149 - 2^100, as products of floats.
  const float a[] = {0x1p60F, 0x1p-149F, 0x1p60F};
  const float b[] = {0x1p40F, 1.0F, -0x1p40F};
  Product product;
  product.a = {a, Format::kFp32, 1, 3, 3, 1};
  product.b = {b, Format::kFp32, 3, 1, 1, 1};
  const ExactValue exact = exact_element(product, Conversion::kNone, 0, 0);
  EXPECT_EQ(to_nearest(exact.value), 0x1p-149);
  EXPECT_EQ(exact.gauge, to_fixed(0x1p101) + to_fixed(0x1p-149));
}

TEST(ExactDot, HoldsTheExtremesOfEveryFormat) {
  for (const Format format : kAllFormats) {
    const std::uint32_t patterns[] = {shape(format).max_finite, 1};
    std::vector<char> bytes(2 * shape(format).size_bytes);
    for (int i = 0; i < 2; ++i) {
      store(format, bytes.data() + i * shape(format).size_bytes, patterns[i]);
    }
    Product product;
    product.a = {bytes.data(), format, 1, 2, 2, 1};
    product.b = {bytes.data(), format, 2, 1, 1, 1};
    product.times = std::numeric_limits<int>::max();
    const ExactValue exact = exact_element(product, Conversion::kNone, 0, 0);
    const Rational large = rational(to_double(format, patterns[0]));
    const Rational small = rational(to_double(format, patterns[1]));
    EXPECT_EQ(rational(exact.value), product.times * (large * large + small * small));
  }
}

TEST(ExactDot, AgreesWithRationalNumbers) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    TestShape test{.m = 2, .n = 3, .k = static_cast<Index>(random() % 40)};
    test.in = kAllFormats[seed % std::size(kAllFormats)];
    test.fill = static_cast<TestFill>(random() % (kTestFillCount - 1));  // all finite ones
    test.initial = random() % 2 == 0;
    test.times = 1 + static_cast<int>(random() % 3);
    const TestProduct drawn(test, random);
    const Product& product = drawn.product();
    for (Index row = 0; row < test.m; ++row) {
      for (Index col = 0; col < test.n; ++col) {
        Rational value = 0, gauge = 0;
        bool finite = true;
        const auto number = [&](const Matrix& matrix, Index r, Index c) {
          const double decoded = to_double(matrix.format, matrix.bits(r, c));
          finite = finite && std::isfinite(decoded);
          return std::isfinite(decoded) ? rational(decoded) : Rational(0);
        };
        for (Index k = 0; k < test.k; ++k) {
          const Rational term = number(product.a, row, k) * number(product.b, k, col);
          value += test.times * term;
          gauge += test.times * abs(term);
        }
        if (test.initial) {
          value += number(product.c, row, col);
          gauge += abs(number(product.c, row, col));
        }
        const ExactValue exact = exact_element(product, Conversion::kNone, row, col);
        ASSERT_EQ(exact.kind == ExactValue::Class::kFinite, finite);
        ASSERT_EQ(rational(exact.value), value) << seed;
        ASSERT_EQ(rational(exact.gauge), gauge) << seed;
      }
    }
  }
}

TEST(ExactDot, FollowsExtendedArithmetic) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    double a0, b0, a1, b1, expected;
  } cases[] = {
      {infinity, 1, 2, 3, infinity},
      {infinity, -1, 2, 3, -infinity},
      {infinity, 0, 2, 3, nan},
      {infinity, 1, infinity, -1, nan},
      {infinity, 1, infinity, 1, infinity},
      {nan, 0, 2, 3, nan},
      {1, 1, 0, -infinity, nan},
      {-infinity, -2, -5, infinity, nan},
  };
  for (const auto& test : cases) {
    const auto bits = [](double value) {
      return static_cast<std::uint16_t>(round_nearest(Format::kBf16, value));
    };
    const std::uint16_t a[] = {bits(test.a0), bits(test.a1)}, b[] = {bits(test.b0), bits(test.b1)};
    Product product;
    product.a = {a, Format::kBf16, 1, 2, 2, 1};
    product.b = {b, Format::kBf16, 2, 1, 1, 1};
    product.got.format = Format::kFp32;
    const ExactValue exact = exact_element(product, Conversion::kNone, 0, 0);
    const Point rounded = round_exact(Format::kFp32, exact);
    EXPECT_EQ(rounded, point_of(Format::kFp32, round_nearest(Format::kFp32, test.expected)));
    std::uint32_t result = 0;
    exact_result(product, &result);
    EXPECT_EQ(result, round_nearest(Format::kFp32, test.expected));
  }
}

TEST(Fixed, RoundsLikeTheDoublesThatItHolds) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200000; ++i) {
    const double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                    static_cast<int>(random() % 260) - 250);
    ASSERT_EQ(to_nearest(to_fixed(value)), value);
    ASSERT_EQ(to_double_up(to_fixed(std::abs(value))), std::abs(value));
    for (const Format format : kAllFormats) {
      ASSERT_EQ(round_to_line(format, to_fixed(value)), round_to_line(format, value));
    }
    // A little more than a double shows in its rounding up only.
    const Fixed more = to_fixed(std::abs(value)) + 1;
    ASSERT_EQ(to_double_up(more), std::nextafter(std::abs(value), HUGE_VAL));
    ASSERT_EQ(to_nearest(more), std::abs(value));
  }
}

TEST(ExactResult, RoundsOnceWhereTwoRoundingsWouldErr) {
  // 1 + 2^-8 + 2^-40 is above the midpoint of two bf16 numbers, and on it after rounding to fp32.
  const float a[] = {1.0F, 0x1p-8F, 0x1p-40F}, b[] = {1.0F, 1.0F, 1.0F};
  Product product;
  product.a = {a, Format::kFp32, 1, 3, 3, 1};
  product.b = {b, Format::kFp32, 3, 1, 1, 1};
  product.got.format = Format::kBf16;
  std::uint16_t result = 0;
  exact_result(product, &result);
  EXPECT_EQ(to_double(Format::kBf16, result), 1 + 0x1p-7);
}

TEST(ExactResult, IsTheExactOracleRoundedOnce) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    std::mt19937_64 random(seed);
    TestShape test{.m = 3, .n = 5, .k = static_cast<Index>(random() % 50)};
    test.in = kAllFormats[seed % std::size(kAllFormats)];
    test.out = kAllFormats[random() % 5];
    test.fill = static_cast<TestFill>(random() % kTestFillCount);
    test.initial = random() % 2 == 0;
    test.times = 1 + static_cast<int>(random() % 2);
    const TestProduct drawn(test, random);  // its outputs are those of exact_result
    for (Index row = 0; row < test.m; ++row) {
      for (Index col = 0; col < test.n; ++col) {
        const ExactValue exact = exact_element(drawn.product(), Conversion::kNone, row, col);
        const std::uint32_t got = drawn.product().got.bits(row, col);
        const Point rounded = round_exact(test.out, exact);
        ASSERT_EQ(point_of(test.out, got), point_of(test.out, bits_of(test.out, rounded))) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace assay::oracle
