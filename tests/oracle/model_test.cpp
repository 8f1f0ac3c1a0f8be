#include "oracle/model/model.h"

#include <cmath>
#include <limits>
#include <optional>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "oracle/operand.h"
#include "tests/core/sanitized.h"
#include "tests/oracle/cases.h"

namespace assay::oracle {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;

Rational power_of_two(int exponent) {
  const Integer power = Integer(1) << std::abs(exponent);
  return exponent >= 0 ? Rational(power) : Rational(1, power);
}
Rational exact_value(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return Rational(Integer(std::ldexp(fraction, 53))) * power_of_two(exponent - 53);
}
Rational truncate(const Rational& value, const Rational& quantum) {
  const Rational quotient = value / quantum;
  return Rational(numerator(quotient) / denominator(quotient)) * quantum;  // toward zero
}
// Exponent of the leading bit of a value that is not zero.
int leading_exponent(const Rational& value) {
  const Rational magnitude = abs(value);
  int exponent =
      static_cast<int>(msb(numerator(magnitude))) - static_cast<int>(msb(denominator(magnitude)));
  if (power_of_two(exponent) > magnitude) { --exponent; }
  return exponent;
}

double flush(double value, const Arithmetic& arithmetic, Format format) {
  const double normal = std::ldexp(1.0, shape(format).min_exponent);
  return arithmetic.subnormals.sums() && std::abs(value) < normal ? std::copysign(0.0, value)
                                                                  : value;
}

// The step as the header words it, in rational numbers.
double slow_step(const std::vector<double>& a, const std::vector<double>& b, double accumulator,
                 const Arithmetic& arithmetic, Format format) {
  double special = accumulator;
  bool finite = std::isfinite(accumulator);
  for (std::size_t i = 0; i < a.size(); ++i) {
    special += a[i] * b[i];
    finite = finite && std::isfinite(a[i]) && std::isfinite(b[i]);
  }
  if (!finite) { return special; }
  const auto exponent_of = [](double value, int smallest) {
    return std::max(std::ilogb(value), smallest);
  };
  std::optional<int> largest;
  const auto raise = [&](int exponent) {
    largest = std::max(largest.value_or(exponent), exponent);
  };
  if (accumulator != 0) { raise(exponent_of(accumulator, -126)); }
  const int smallest = shape(format).min_exponent;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] * b[i] != 0) { raise(exponent_of(a[i], smallest) + exponent_of(b[i], smallest)); }
  }
  if (!largest) { return 0; }
  const Rational quantum = power_of_two(*largest - arithmetic.fraction_bits);
  Rational sum = truncate(exact_value(accumulator), quantum);
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += truncate(exact_value(a[i]) * exact_value(b[i]), quantum);
  }
  if (sum == 0) { return 0; }
  const int exponent = std::max(leading_exponent(sum), -126);
  const Rational cut = truncate(sum, power_of_two(exponent - arithmetic.out_bits));
  if (abs(cut) >= power_of_two(128)) {
    return sum < 0 ? -std::numeric_limits<double>::infinity()
                   : std::numeric_limits<double>::infinity();
  }
  const double result = static_cast<double>(cut);
  return flush(sum < 0 ? -std::abs(result) : result, arithmetic, Format::kFp32);
}

double slow_call(const std::vector<double>& a, const std::vector<double>& b, double accumulator,
                 const Arithmetic& arithmetic, Format format) {
  accumulator = flush(accumulator, arithmetic, Format::kFp32);
  if (arithmetic.kind == Arithmetic::Kind::kFp32) {
    auto sum = static_cast<float>(accumulator);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const auto x = static_cast<float>(a[k]), y = static_cast<float>(b[k]);
      const auto flush32 = [&](float value) {
        return static_cast<float>(flush(value, arithmetic, Format::kFp32));
      };
      sum = flush32(arithmetic.fused ? std::fma(x, y, sum) : sum + flush32(x * y));
    }
    return sum;
  }
  if (arithmetic.kind == Arithmetic::Kind::kInt32) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      sum += static_cast<std::int64_t>(a[k]) * static_cast<std::int64_t>(b[k]);
    }
    return static_cast<float>(accumulator) + static_cast<float>(sum);
  }
  if (arithmetic.promotion_interval > 0) {
    Arithmetic within = arithmetic;
    within.promotion_interval = 0;
    const auto interval = static_cast<std::ptrdiff_t>(arithmetic.promotion_interval);
    for (auto k = std::ptrdiff_t{0}; k < std::ssize(a); k += interval) {
      const auto end = std::min(k + interval, std::ssize(a));
      const double sum = slow_call({a.begin() + k, a.begin() + end},
                                   {b.begin() + k, b.begin() + end}, 0, within, format);
      const float added = static_cast<float>(accumulator) + static_cast<float>(sum);
      accumulator = flush(added, arithmetic, Format::kFp32);
    }
    return accumulator;
  }
  const std::size_t length = arithmetic.products_per_step;
  for (std::size_t k = 0; k < a.size(); k += length) {
    const std::size_t count = std::min(length, a.size() - k);
    std::vector<double> left(length, 0.0), right(length, 0.0);
    std::copy_n(a.begin() + k, count, left.begin());
    std::copy_n(b.begin() + k, count, right.begin());
    accumulator = slow_step(left, right, accumulator, arithmetic, format);
  }
  return accumulator;
}

std::uint32_t slow_element(const Product& product, const Arithmetic& arithmetic, Index row,
                           Index col) {
  const Format format = converted_format(product.a.format, arithmetic.conversion);
  std::vector<double> a, b;
  const auto value = [&](const Matrix& matrix, Index r, Index c) {
    const double read = operand_value(matrix.format, matrix.bits(r, c), arithmetic.conversion);
    return arithmetic.subnormals.input(format) ? flush(read, arithmetic, format) : read;
  };
  for (Index k = 0; k < product.a.cols; ++k) {
    a.push_back(value(product.a, row, k));
    b.push_back(value(product.b, k, col));
  }
  const Format out = product.got.format;
  double accumulator =
      product.c.data == nullptr ? 0 : to_double(product.c.format, product.c.bits(row, col));
  std::uint32_t bits = 0;
  for (int call = 0; call < product.times; ++call) {
    if (!a.empty()) { accumulator = slow_call(a, b, accumulator, arithmetic, format); }
    if (arithmetic.saturates && !std::isnan(accumulator)) {
      const double largest = to_double(out, shape(out).max_finite);
      accumulator = std::max(-largest, std::min(largest, accumulator));
    }
    bits = round_nearest(out, accumulator);
    accumulator = to_double(out, bits);
  }
  return bits;
}

const Arithmetic kPredictable[] = {
    kFp32Fma,
    kInt32Sums,
    {.kind = Arithmetic::Kind::kFp32, .fused = false, .ascending = true},
    {.kind = Arithmetic::Kind::kFp32, .ascending = true, .subnormals = kFtz},
    kHopperWgmma,
    kAmpereMma,
    {.kind = Arithmetic::Kind::kStep, .products_per_step = 4, .ascending = true},
    {.kind = Arithmetic::Kind::kStep,
     .products_per_step = 32,
     .fraction_bits = 13,
     .out_bits = 13,
     .ascending = true,
     .saturates = true},
    {.kind = Arithmetic::Kind::kStep,
     .products_per_step = 32,
     .fraction_bits = 13,
     .out_bits = 13,
     .ascending = true,
     .promotion_interval = 32},
    {.kind = Arithmetic::Kind::kStep,
     .products_per_step = 16,
     .fraction_bits = 13,
     .out_bits = 13,
     .ascending = true,
     .promotion_interval = 24,
     .subnormals = kFtz},
    {.kind = Arithmetic::Kind::kStep,
     .products_per_step = 8,
     .fraction_bits = 25,
     .ascending = true,
     .subnormals = kFtz,
     .conversion = Conversion::kTf32Rna},
};

TEST(Model, AgreesWithRationalArithmeticBitForBit) {
  Index elements = 0, special = 0;
  for (std::uint64_t seed = 0; seed < testing::sanitized_share(1500); ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % limit); };
    const Arithmetic& arithmetic = kPredictable[below(std::size(kPredictable))];
    TestShape test{.m = 1 + below(4), .n = 1 + below(20), .k = below(70)};
    test.in = kAllFormats[below(std::size(kAllFormats))];
    test.out = kAllFormats[below(3)];
    if (arithmetic.kind == Arithmetic::Kind::kInt32) { test.in = Format::kInt8; }
    test.fill = static_cast<TestFill>(below(kTestFillCount));
    test.initial = below(2) == 0;
    test.times = 1 + below(3) / 2;
    test.a_by_columns = below(2) == 0;
    test.b_by_columns = below(2) == 0;
    const TestProduct drawn(test, random);
    const Product& product = drawn.product();
    const Index size_bytes = shape(test.out).size_bytes;
    std::vector<char> bits(test.m * test.n * size_bytes);
    predict(product, arithmetic, bits.data(), 1 + below(2));
    for (Index row = 0; row < test.m; ++row) {
      for (Index col = 0; col < test.n; ++col) {
        const std::uint32_t fast = load(test.out, bits.data() + (row * test.n + col) * size_bytes);
        const std::uint32_t slow = slow_element(product, arithmetic, row, col);
        const bool both_nan =
            std::isnan(to_double(test.out, fast)) && std::isnan(to_double(test.out, slow));
        ASSERT_TRUE(fast == slow || both_nan) << "seed " << seed << " row " << row << " col " << col
                                              << ": " << std::hex << fast << " is not " << slow;
        ++elements;
        special += std::isfinite(to_double(test.out, slow)) ? 0 : 1;
      }
    }
  }
  EXPECT_GT(elements, testing::sanitized_share(30000));
  EXPECT_GT(special, testing::sanitized_share(1000));
}

// One element of a row of `a` and a column of `b`, in fp32.
float integer_sum(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b) {
  const auto length = static_cast<Index>(a.size());
  float sum = 0;
  Product product;
  product.a = {a.data(), Format::kInt8, 1, length, length, 1};
  product.b = {b.data(), Format::kInt8, length, 1, 1, 1};
  product.got = {&sum, Format::kFp32, 1, 1, 1, 1};
  predict(product, kInt32Sums, &sum);
  return sum;
}

TEST(Model, RoundsAnIntegerSumOnceAndWrapsAt32Bits) {
  // 2^24 + 1 on the way, which fp32 does not hold.
  std::vector<std::int8_t> a(1025, 127), b(1025, 127);
  std::vector<std::int8_t> back = b;
  for (std::int8_t& each : back) { each = -127; }
  a.push_back(1);
  b.push_back(1);
  a.insert(a.end(), 1025, 127);
  b.insert(b.end(), back.begin(), back.end());
  EXPECT_EQ(integer_sum(a, b), 1);
  a.resize(1099);
  b.assign(1099, 127);
  const auto exact = std::int64_t{1098} * 127 * 127 + 127;
  EXPECT_NE(static_cast<std::int64_t>(static_cast<float>(exact)), exact);
  EXPECT_EQ(integer_sum(a, b), static_cast<float>(exact));
  const std::vector<std::int8_t> least(131072, -128);
  EXPECT_EQ(integer_sum(least, least), -0x1p31F);
}

// 1 * value, rounded to fp16, beside `got`.
BitComparison compared(float value, std::uint16_t got, const Arithmetic& arithmetic) {
  const float one = 1;
  Product product;
  product.a = {.data = &one, .format = Format::kFp32, .rows = 1, .cols = 1};
  product.b = {.data = &value, .format = Format::kFp32, .rows = 1, .cols = 1};
  product.got = {.data = &got, .format = Format::kFp16, .rows = 1, .cols = 1};
  return compare_with_model({&product, 1}, arithmetic);
}

TEST(Model, TakesAnyZeroForAResultThatMayBeFlushed) {
  Arithmetic flushing = kFp32Fma;
  flushing.subnormals.outputs = Flushing::bit(Format::kFp16);
  const float tiny = -0x1p-15f, rounds_up = 0x1.fffp-15f, normal = 0x1.004p-14f;
  for (const std::uint16_t zero : {std::uint16_t{0}, std::uint16_t{0x8000}}) {
    EXPECT_EQ(compared(tiny, zero, flushing).different, 0);
    EXPECT_EQ(compared(rounds_up, zero, flushing).different, 0);
    EXPECT_EQ(compared(rounds_up, zero, kFp32Fma).different, 1);
    EXPECT_EQ(compared(normal, zero, flushing).different, 1);
  }
  EXPECT_EQ(compared(rounds_up, 0x0400, flushing).different, 0);
  EXPECT_EQ(compared(tiny, 0x8200, flushing).different, 1);  // kept
  EXPECT_EQ(compared(0, 0x8000, kFp32Fma).different, 1);
}

// 2^24 + 1 - 2^24 in fp32 is 0, and so is what begins with 1; 1 that is added last stays.
TEST(Model, ABiasIsAddedFirstOrLast) {
  const float a[] = {0x1p12f, 1, -0x1p12f}, b[] = {0x1p12f, 1, 0x1p12f}, bias[] = {1};
  float got[1] = {};
  const auto matrix = [](const void* data, Index rows, Index cols, Index row_stride) {
    return Matrix{.data = data,
                  .format = Format::kFp32,
                  .rows = rows,
                  .cols = cols,
                  .row_stride = row_stride};
  };
  Product product;
  product.a = matrix(a, 1, 3, 3);
  product.b = matrix(b, 3, 1, 1);
  product.got = matrix(got, 1, 1, 1);
  product.c = matrix(bias, 1, 1, 0);
  product.c_is_bias = true;
  const auto predicted = [&](BiasAdded added) {
    Arithmetic arithmetic = kFp32Fma;
    arithmetic.bias_added = added;
    float bits = -1;
    predict(product, arithmetic, &bits);
    return bits;
  };
  EXPECT_EQ(predicted(BiasAdded::kFirst), 0);
  EXPECT_EQ(predicted(BiasAdded::kLast), 1);
  EXPECT_FALSE(is_predictable(kFp32Fma, product));
}

}  // namespace
}  // namespace assay::oracle
