// Products with scales: decoder, exact oracle, enclosure and bit model against each other.
#include <cmath>
#include <iterator>

#include <gtest/gtest.h>

#include "oracle/element_lines.h"
#include "oracle/error_bound.h"
#include "oracle/exact/exact.h"
#include "oracle/model/model.h"
#include "oracle/number_line.h"
#include "oracle/operand.h"
#include "src/problem/scaling.h"
#include "tests/oracle/cases.h"

namespace assay::oracle {
namespace {

constexpr Format kScaledFormats[] = {Format::kE4m3, Format::kE5m2, Format::kE2m1, Format::kInt8};

TEST(Scale, E8m0IsAPowerOfTwoOrNan) {
  for (std::uint32_t code = 0; code < 255; ++code) {
    EXPECT_EQ(to_double(ScaleFormat::kE8m0, code), std::ldexp(1.0, static_cast<int>(code) - 127));
  }
  EXPECT_TRUE(std::isnan(to_double(ScaleFormat::kE8m0, 255)));
}

TEST(Scale, EveryCodeDecodesAsTheProblemHasIt) {
  using Ours = assay::ScaleFormat;
  const auto same = [](double mine, double other) {
    return mine == other || (std::isnan(mine) && std::isnan(other));
  };
  for (std::uint32_t code = 0; code < 256; ++code) {
    for (const auto& [ours, theirs] :
         {std::pair{Ours::kE8m0, ScaleFormat::kE8m0}, std::pair{Ours::kE4m3, ScaleFormat::kE4m3}}) {
      const double value = assay::decode(ours, code);
      EXPECT_TRUE(same(value, to_double(theirs, code))) << code;
      if (!std::isnan(value)) { EXPECT_EQ(assay::decode(ours, assay::encode(ours, value)), value); }
    }
  }
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    const std::uint32_t code = high << 16 | high;
    EXPECT_TRUE(same(assay::decode(Ours::kFp32, code), to_double(ScaleFormat::kFp32, code)))
        << code;
  }
}

TEST(Scale, AnElementIsCodeTimesScaleOfItsBlock) {
  const std::uint8_t codes[] = {0x38, 0x40, 0xb8, 0x01};  // 1, 2, -1, 2^-9
  const float scales[] = {3, 0.5F};
  Matrix matrix{codes, Format::kE4m3, 1, 4, 4, 1};
  matrix.scales = {scales, ScaleFormat::kFp32, 1, 2, 2, 1, 1, 2};
  const double expected[] = {3, 6, -0.5, 0x1p-10};
  for (Index col = 0; col < 4; ++col) {
    EXPECT_EQ(element_value(matrix, 0, col, Conversion::kNone), expected[col]);
    EXPECT_EQ(element_value(matrix.transposed(), col, 0, Conversion::kNone), expected[col]);
    const Decoded exact = element_at(matrix, 0, col, Conversion::kNone);
    EXPECT_EQ(std::ldexp(exact.significand, exact.exponent), std::abs(expected[col]));
  }
}

TEST(Scale, ATensorsScaleMultipliesEveryBlocks) {
  const std::uint8_t codes[] = {0x38, 0x40};   // 1, 2
  const std::uint8_t scales[] = {0x38, 0x7e};  // 1, 448
  Matrix matrix{codes, Format::kE4m3, 1, 2, 2, 1};
  matrix.scales = {scales, ScaleFormat::kE4m3, 1, 1, 2, 1, 1, 2};
  const float odd = 1 + 0x1p-23F;
  matrix.scales.tensor_scale = odd;
  const double expected[] = {odd, 896.0 * odd};
  for (Index col = 0; col < 2; ++col) {
    EXPECT_EQ(element_value(matrix, 0, col, Conversion::kNone), expected[col]);
    EXPECT_EQ(element_value(matrix.transposed(), col, 0, Conversion::kNone), expected[col]);
    const Decoded exact = element_at(matrix, 0, col, Conversion::kNone);
    EXPECT_EQ(std::ldexp(exact.significand, exact.exponent), expected[col]);
  }
  EXPECT_EQ(scale_range_of(matrix), (ScaleRange{.largest = 448, .tensor = odd}));
  // Zeros of the least exponent: nothing is added, however small it would be.
  const float zero = 0;
  Matrix zeros = matrix;
  zeros.scales = {&zero, ScaleFormat::kFp32, 1, 2, 1, 1, 1, 1};
  zeros.scales.tensor_scale = 0.0F;
  Product product;
  product.a = zeros;
  product.b = zeros.transposed();
  EXPECT_EQ(exact_element(product, Conversion::kNone, 0, 0).value, 0);
  matrix.scales.tensor_scale = std::nanf("");
  EXPECT_EQ(element_at(matrix, 0, 0, Conversion::kNone).kind, Decoded::Class::kNan);
  EXPECT_EQ(scale_range_of(matrix), (ScaleRange{.largest = 448, .tensor = 0}));
}

TEST(Format, E2m1HasEightMagnitudes) {
  const double values[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint32_t code = 0; code < 16; ++code) {
    const double value = to_double(Format::kE2m1, code);
    EXPECT_EQ(std::abs(value), values[code & 7]);
    EXPECT_EQ(std::signbit(value), code >= 8);
  }
}

TEST(Scale, ABlockOfAMatrixKeepsItsScales) {
  const std::uint8_t codes[] = {0x38, 0x38, 0x38, 0x38, 0x38, 0x38};
  const float scales[] = {1, 2, 4};
  Matrix matrix{codes, Format::kE4m3, 1, 6, 6, 1};
  matrix.scales = {scales, ScaleFormat::kFp32, 1, 2, 3, 1, 1, 3};
  const ScaleGrid from_3 = matrix.scales.moved(0, 3);
  EXPECT_EQ(from_3.value(0, 0), 2);
  EXPECT_EQ(from_3.value(0, 1), 4);
  EXPECT_EQ(matrix.scales.moved(0, -2).value(0, 0), 1);
  EXPECT_EQ(from_3.value(0, 99), 4);
  std::vector<double> runs;
  for_each_scale(from_3, 0, 0, 3, [&](Index first, Index count, double scale) {
    runs.insert(runs.end(), {static_cast<double>(first), static_cast<double>(count), scale});
  });
  EXPECT_EQ(runs, (std::vector<double>{0, 1, 2, 1, 2, 4}));
}

TestShape draw_shape(std::mt19937_64& random) {
  const auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  TestShape test{.m = 1 + below(8), .n = 1 + below(12), .k = below(80)};
  test.in = kScaledFormats[below(std::size(kScaledFormats))];
  constexpr Format kBeside[] = {Format::kBf16, Format::kFp16, Format::kE4m3, Format::kE5m2};
  if (below(3) == 0) { test.in_a = kBeside[below(std::size(kBeside))]; }
  test.out = kAllFormats[below(5)];
  test.out_scaled = below(2) == 0;
  test.fill = static_cast<TestFill>(below(kTestFillCount));
  test.output = static_cast<TestOutput>(below(kTestOutputCount));
  test.initial = below(4) == 0;
  test.times = below(4) == 0 ? 2 : 1;
  test.a_by_columns = below(2) == 0;
  test.b_by_columns = below(2) == 0;
  test.scaled = true;
  test.hostile_scales = below(3) == 0;
  return test;
}

TEST(Scale, FastAgreesWithExactOnEveryElement) {
  const Arithmetic judged[] = {
      {},
      kFp32Fma,
      {.kind = Arithmetic::Kind::kStep,
       .products_per_step = 32,
       .fraction_bits = 13,
       .out_bits = 13,
       .promotion_interval = 128},
      {.kind = Arithmetic::Kind::kFp32, .subnormals = {.inputs = 0xFF, .outputs = 0xFF}}};
  Index right = 0, wrong = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 random(seed);
    const TestProduct drawn(draw_shape(random), random);
    const std::vector<Product> products = {drawn.product()};
    const Arithmetic& arithmetic = judged[seed % std::size(judged)];
    std::vector<std::uint8_t> exact_map, fast_map;
    const bool exact_input = seed % 5 == 0;
    const Judgement exact =
        judge_exact(products, arithmetic, {.exact_input = exact_input, .wrong_map = &exact_map});
    const Judgement fast =
        judge_fast(products, arithmetic, {.exact_input = exact_input, .wrong_map = &fast_map});
    ASSERT_EQ(exact_map, fast_map) << "seed " << seed;
    ASSERT_EQ(exact.overflowing, fast.overflowing) << "seed " << seed;
    ASSERT_EQ(exact.trivial_accepted, fast.trivial_accepted) << "seed " << seed;
    wrong += exact.wrong;
    right += exact.elements - exact.wrong;
  }
  EXPECT_GT(right, 10000);
  EXPECT_GT(wrong, 10000);
}

TEST(Scale, RangesOfLinesAreThoseOfElements) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const TestProduct drawn(draw_shape(random), random);
    for (const Matrix& matrix : {drawn.product().a, drawn.product().b}) {
      const OperandRange plain = range_of(matrix, Conversion::kNone);
      const OperandRange fast = fast_range_of(matrix, Conversion::kNone);
      ASSERT_EQ(plain.largest, fast.largest) << seed;
      ASSERT_EQ(plain.scales, fast.scales) << seed;
      ASSERT_EQ(plain.subnormal, fast.subnormal) << seed;
      ASSERT_EQ(plain.finite, fast.finite) << seed;
      ASSERT_EQ(plain.quantum_exponent, fast.quantum_exponent) << seed;
    }
  }
}

// fp32 by hand: what the model says of one element.
float slow_scaled(const Product& product, const Arithmetic& arithmetic, Index row, Index col) {
  const Index k = product.a.cols;
  float acc = product.c.data == nullptr
                  ? 0
                  : static_cast<float>(to_double(product.c.format, product.c.bits(row, col)));
  const auto code = [](const Matrix& matrix, Index r, Index c) {
    return static_cast<float>(to_double(matrix.format, matrix.bits(r, c)));
  };
  const auto scale = [](const Matrix& matrix, Index r, Index c) {
    return matrix.scales.present() ? static_cast<float>(matrix.scales.block_value(r, c)) : 1.0F;
  };
  const float of_a = product.a.scales.tensor_scale.value_or(1);
  const float of_b = product.b.scales.tensor_scale.value_or(1);
  if (arithmetic.scaling == Scaling::kOperands) {
    // Exact in a double, and rounded once.
    const auto element = [&](const Matrix& matrix, Index r, Index c, float of_tensor) {
      return static_cast<float>(double{code(matrix, r, c)} * scale(matrix, r, c) * of_tensor);
    };
    for (Index i = 0; i < k; ++i) {
      acc = std::fma(element(product.a, row, i, of_a), element(product.b, i, col, of_b), acc);
    }
    return acc;
  }
  // Of codes; few enough that no sum of integers leaves 32 bits.
  const auto sum_of = [&](Index first, Index count) {
    if (arithmetic.kind == Arithmetic::Kind::kInt32) {
      std::int32_t sum = 0;
      for (Index i = first; i < first + count; ++i) {
        sum += static_cast<std::int32_t>(code(product.a, row, i)) *
               static_cast<std::int32_t>(code(product.b, i, col));
      }
      return static_cast<float>(sum);
    }
    float sum = 0;
    for (Index i = first; i < first + count; ++i) {
      sum = std::fma(code(product.a, row, i), code(product.b, i, col), sum);
    }
    return sum;
  };
  if (arithmetic.scaling == Scaling::kEnd && k > 0) {
    return acc + sum_of(0, k) * scale(product.a, row, 0) * scale(product.b, 0, col);
  }
  const auto added = [&](float sum, float a, float b, float total) {
    const bool one_by_one = arithmetic.scaling == Scaling::kSumsOneByOne;
    return one_by_one ? std::fma(sum * a, b, total) : std::fma(sum, a * b, total);
  };
  const bool of_tensors = product.a.scales.tensor_scale || product.b.scales.tensor_scale;
  const Index interval = promoted_interval(product, arithmetic);
  float total = of_tensors ? 0 : acc;
  for (Index first = 0; first < k; first += interval) {
    const float sum = sum_of(first, std::min(k - first, interval));
    total = added(sum, scale(product.a, row, first), scale(product.b, first, col), total);
  }
  return of_tensors && k > 0 ? added(total, of_a, of_b, acc) : of_tensors ? acc : total;
}

TEST(Scale, TheModelMultipliesThemWhereTheArithmeticSays) {
  Index elements = 0, at_end = 0, integers = 0, tensors = 0, out_scaled = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::mt19937_64 random(seed);
    TestShape test = draw_shape(random);
    test.times = 1;
    const bool integer = test.in == Format::kInt8 && !test.in_a && seed % 4 != 0;
    const TestProduct drawn(test, random);
    const Product& product = drawn.product();
    Arithmetic arithmetic = integer ? kInt32Sums : kFp32Fma;
    arithmetic.ascending = true;
    constexpr Scaling kWays[] = {Scaling::kOperands, Scaling::kSums, Scaling::kEnd,
                                 Scaling::kSumsOneByOne};
    arithmetic.scaling = kWays[seed % std::size(kWays)];
    arithmetic.promotion_interval = seed % 2 == 0 ? 32 : 0;
    if (!is_predictable(arithmetic, product)) { continue; }
    at_end += arithmetic.scaling == Scaling::kEnd && test.k > 0 ? 1 : 0;
    integers += integer ? 1 : 0;
    out_scaled += product.out_scale ? 1 : 0;
    tensors += product.a.scales.tensor_scale || product.b.scales.tensor_scale ? 1 : 0;
    std::vector<char> model(test.m * test.n * shape(test.out).size_bytes);
    predict(product, arithmetic, model.data());
    for (Index row = 0; row < test.m; ++row) {
      for (Index col = 0; col < test.n; ++col, ++elements) {
        const std::uint32_t got =
            load(test.out, model.data() + (row * test.n + col) * shape(test.out).size_bytes);
        const std::uint32_t expected = round_nearest(
            test.out, slow_scaled(product, arithmetic, row, col) * product.out_scale.value_or(1));
        const bool nan = point_of(test.out, got).nan && point_of(test.out, expected).nan;
        ASSERT_TRUE(got == expected || nan) << "seed " << seed << " " << row << " " << col;
      }
    }
  }
  EXPECT_GT(elements, 20000);
  EXPECT_GT(at_end, 20);
  EXPECT_GT(integers, 50);
  EXPECT_GT(tensors, 200);
  EXPECT_GT(out_scaled, 200);
}

// What either order computes lies within the bound of its own arithmetic.
// Three roundings of scales, and the product of the two.
TEST(Scale, TheBoundHasRoomForEveryRounding) {
  for (const Format in : {Format::kE4m3, Format::kBf16}) {
    Reduction plain{.length = 1,
                    .a = in,
                    .b = Format::kE4m3,
                    .out = Format::kFp32,
                    .a_range = {.largest = 4},
                    .b_range = {.largest = 4}};
    Reduction scaled = plain;
    scaled.scaled = true;
    const ErrorBound without = error_bound(kFp32Fma, plain), with = error_bound(kFp32Fma, scaled);
    EXPECT_GE(with.at(1), without.at(1) + 4 * 0x1p-24);
    EXPECT_LT(with.at(1), without.at(1) + 5 * 0x1p-24);
    EXPECT_GE(with.overflow_from, 0x1p60);
    Reduction tensors = scaled;
    tensors.tensor_scales = 2;
    EXPECT_GE(error_bound(kFp32Fma, tensors).at(1), with.at(1) + 2 * 0x1p-24);
    Reduction out_scaled = scaled;
    out_scaled.out_scaled = true;
    out_scaled.out_factor = 0x1p-20;
    EXPECT_GE(error_bound(kFp32Fma, out_scaled).at(1), with.at(1) + 2 * 0x1p-24);
    EXPECT_LE(error_bound(kFp32Fma, out_scaled).overflow_from, with.overflow_from * 0x1p-20);
  }
}

TEST(Scale, TheBoundHoldsForWhatTheModelsCompute) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::mt19937_64 random(seed);
    TestShape test = draw_shape(random);
    // What becomes of an infinite code or scale depends on the order.
    test.hostile_scales = false;
    TestProduct drawn(test, random);
    Product& product = drawn.product();
    Arithmetic arithmetic = seed % 3 == 0 ? kFp32Fma : kHopperFp8;
    const Scaling sums = seed % 7 < 3 ? Scaling::kSums : Scaling::kSumsOneByOne;
    arithmetic.scaling = seed % 2 == 0 ? Scaling::kOperands : sums;
    if (arithmetic.kind == Arithmetic::Kind::kStep) {
      arithmetic.scaling = sums;
      arithmetic.promotion_interval = 32;
    }
    if (test.in == Format::kInt8 && !test.in_a) {
      arithmetic = kInt32Sums;
      arithmetic.ascending = true;
      arithmetic.scaling = sums;
      arithmetic.promotion_interval = seed % 5 == 0 ? 7 : 0;
    }
    std::vector<char> model(test.m * test.n * shape(test.out).size_bytes + 1);
    predict(product, arithmetic, model.data());
    product.got = {model.data(), test.out, test.m, test.n, test.n, 1};
    const Judgement judged = judge_fast(std::vector{product}, arithmetic, {.skip_trivial = true});
    ASSERT_EQ(judged.wrong, 0) << "seed " << seed << " ratio " << judged.worst_ratio;
  }
}

}  // namespace
}  // namespace assay::oracle
