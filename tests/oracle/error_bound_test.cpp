#include "oracle/error_bound.h"

#include <cmath>

#include <gtest/gtest.h>

#include "oracle/judge.h"
#include "oracle/model/model.h"
#include "tests/core/sanitized.h"
#include "tests/oracle/cases.h"

namespace assay::oracle {
namespace {

Reduction reduction(Index k, Format in = Format::kBf16) {
  return {.length = k, .a = in, .b = in, .out = Format::kBf16};
}

// The relative excess that rounding upwards may add.
bool just_above(double value, double expected) {
  return value >= expected && value <= expected * (1 + 0x1p-40);
}

TEST(ErrorBound, FollowsTheFormulasOfEachArithmetic) {
  const double u = 0x1p-24;
  EXPECT_TRUE(just_above(error_bound(kFp32Fma, reduction(1000)).slope, 1000 * u));
  // K 2^-F + T 2^-out with 64 steps of 16.
  const double delta = 1024 * 0x1p-25 + 64 * 0x1p-23;
  EXPECT_TRUE(just_above(error_bound(kHopperWgmma, reduction(1024)).slope, delta / (1 - delta)));
  const double volta = 1024 * 0x1p-23 + (256 + 63) * 0x1p-23;
  const double undeclared = volta / (1 - volta) + 64 * u * (1 + volta / (1 - volta));
  EXPECT_TRUE(just_above(error_bound({}, reduction(1024)).slope, undeclared));
  const double plain = 1024 * u + 64 * u * (1 + 1024 * u);
  EXPECT_TRUE(just_above(error_bound({}, reduction(1024, Format::kFp32)).slope, plain));
  EXPECT_TRUE(just_above(error_bound({}, reduction(1024, Format::kInt8)).slope, undeclared));
  EXPECT_TRUE(
      just_above(error_bound(kInt32Sums, reduction(1024, Format::kInt8)).slope, u / (1 - u)));
  Reduction added = reduction(1024, Format::kInt8);
  added.sums = 8;
  added.accumulates = true;
  EXPECT_TRUE(just_above(error_bound(kInt32Sums, added).slope, 9 * u / (1 - 9 * u)));
  const Arithmetic split{.kind = Arithmetic::Kind::kFp32, .splits = 4, .partials = Format::kBf16};
  const double before = 100 * u + 4 * u * (1 + 100 * u);
  const double partials = before + 4 * 0x1p-8 * (1 + 0x1p-8) * (1 + before);
  EXPECT_TRUE(just_above(error_bound(split, reduction(100)).slope, partials));
}

TEST(ErrorBound, WidensByFlushedOperandsAlone) {
  Arithmetic flushing = kFp32Fma;
  flushing.subnormals = {.inputs = Flushing::bit(Format::kBf16)};
  const auto bound_of = [&](bool subnormal_a, bool subnormal_b) {
    const Reduction reduction{.length = 100,
                              .a = Format::kBf16,
                              .b = Format::kE2m1,
                              .scaled = true,
                              .a_range = {.largest = 1, .subnormal = subnormal_a},
                              .b_range = {.largest = 6, .subnormal = subnormal_b}};
    return error_bound(flushing, reduction).floor;
  };
  EXPECT_EQ(bound_of(false, true), bound_of(false, false));
  EXPECT_GT(bound_of(true, false), bound_of(false, false));
}

TEST(ErrorBound, CountsPromotionsInsteadOfALongChain) {
  Arithmetic fp8 = kHopperFp8;
  const double unpromoted = error_bound(fp8, reduction(4096, Format::kE4m3)).slope;
  fp8.promotion_interval = 128;
  const double u = 0x1p-24, delta = 128 * 0x1p-13 + 4 * 0x1p-13;
  const double chain = delta / (1 - delta);
  const double promoted = error_bound(fp8, reduction(4096, Format::kE4m3)).slope;
  EXPECT_TRUE(just_above(promoted, chain + 32 * u * (1 + chain)));
  EXPECT_LT(promoted, unpromoted / 30);
  // An interval that holds the whole reduction promotes nothing.
  fp8.promotion_interval = 4096;
  EXPECT_EQ(error_bound(fp8, reduction(4096, Format::kE4m3)).slope, unpromoted);
}

// Teeth: a kernel that declares the promotion and leaves it out.
TEST(ErrorBound, OfPromotedSumsRefutesSumsWithoutPromotion) {
  Arithmetic fp8 = kHopperFp8;
  constexpr Index kLength = 8192;
  const std::vector<std::uint8_t> ones(kLength, 0x39);  // 1.125, whose square needs seven bits
  std::vector<float> sum(1);
  Product product;
  product.a = {ones.data(), Format::kE4m3, 1, kLength, kLength, 1};
  product.b = {ones.data(), Format::kE4m3, kLength, 1, 1, 1};
  product.got = {sum.data(), Format::kFp32, 1, 1, 1, 1};
  predict(product, fp8, sum.data());
  EXPECT_EQ(judge_exact({&product, 1}, fp8, {}).wrong, 0);
  fp8.promotion_interval = 128;
  EXPECT_GT(judge_exact({&product, 1}, fp8, {}).wrong, 0);
}

TEST(ErrorBound, ReductionsOfNothingAreExact) {
  const ErrorBound bound = error_bound(kHopperWgmma, reduction(0));
  EXPECT_EQ(bound.at(0), 0);
  EXPECT_EQ(bound.at(1e30), 0);
}

TEST(ErrorBound, IsVacuousWhereTheStepsKeepNothing) {
  Arithmetic narrow{.kind = Arithmetic::Kind::kStep, .products_per_step = 32};
  narrow.fraction_bits = narrow.out_bits = 13;
  const ErrorBound bound = error_bound(narrow, reduction(1 << 14));
  EXPECT_GT(bound.at(0x1p-298), 0x1p128);
  EXPECT_TRUE(std::isfinite(bound.at(0x1p319)));
}

TEST(ErrorBound, GrowsWithEveryTerm) {
  double last = 0;
  for (Index k = 1; k < 5000; k += 37) {
    const double bound = error_bound(kHopperWgmma, reduction(k)).at(1.0);
    EXPECT_GT(bound, last);
    last = bound;
  }
  Reduction once = reduction(64), thrice = once;
  once.accumulates = thrice.accumulates = true;
  thrice.times = 3;
  EXPECT_GT(error_bound(kFp32Fma, once).slope, error_bound(kFp32Fma, reduction(64)).slope);
  // Two stored outputs of bf16 are in between.
  EXPECT_GT(error_bound(kFp32Fma, thrice).slope, error_bound(kFp32Fma, once).slope + 2 * 0x1p-8);
}

const Arithmetic kArithmetics[] = {
    kFp32Fma,
    {.kind = Arithmetic::Kind::kFp32, .fused = false, .ascending = true},
    {.kind = Arithmetic::Kind::kFp32, .ascending = true, .subnormals = kFtz},
    kHopperWgmma,
    kAmpereMma,
    {.kind = Arithmetic::Kind::kStep, .products_per_step = 4, .ascending = true},
    kHopperFp8,
    kInt32Sums,
    {.kind = Arithmetic::Kind::kStep,
     .products_per_step = 16,
     .fraction_bits = 13,
     .out_bits = 13,
     .ascending = true,
     .promotion_interval = 32},
    {.kind = Arithmetic::Kind::kStep,
     .products_per_step = 8,
     .fraction_bits = 25,
     .ascending = true,
     .conversion = Conversion::kTf32Rz},
};

TEST(ErrorBound, HoldsForWhatTheModelsCompute) {
  Index elements = 0, trusted = 0;
  double worst = 0;
  for (std::uint64_t seed = 0; seed < testing::sanitized_share(3000); ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % limit); };
    const Arithmetic& arithmetic = kArithmetics[seed % std::size(kArithmetics)];
    TestShape test{.m = 3, .n = 20, .k = 1 + below(90)};
    test.in = kAllFormats[below(std::size(kAllFormats))];
    test.out = kAllFormats[below(3)];
    if (arithmetic.kind == Arithmetic::Kind::kInt32) { test.in = Format::kInt8; }
    test.fill = static_cast<TestFill>(below(kTestFillCount));
    test.initial = below(2) == 0;
    test.times = 1 + below(3) / 2;
    TestProduct drawn(test, random);
    Product product = drawn.product();
    std::vector<char> bits(test.m * test.n * shape(test.out).size_bytes);
    predict(product, arithmetic, bits.data());
    product.got.data = bits.data();
    product.got.row_stride = test.n;
    Arithmetic undeclared;
    undeclared.conversion = arithmetic.conversion;
    for (const Arithmetic& judged : {arithmetic, undeclared}) {
      // The coarse step of 8-bit operands is assumed for no others.
      if (judged.kind == Arithmetic::Kind::kUndeclared && arithmetic.out_bits < 23) { continue; }
      if (judged.kind == Arithmetic::Kind::kUndeclared && arithmetic.subnormals.sums()) {
        continue;
      }
      if (judged.kind == Arithmetic::Kind::kUndeclared && test.in == Format::kFp32 &&
          arithmetic.kind == Arithmetic::Kind::kStep) {
        continue;
      }
      const Judgement judgement = judge_exact({&product, 1}, judged, {});
      ASSERT_EQ(judgement.wrong, 0) << "seed " << seed << " ratio " << judgement.worst_ratio
                                    << " arithmetic " << seed % std::size(kArithmetics);
      elements += judgement.elements;
      if (judgement.overflowing) { continue; }
      ++trusted;
      worst = std::max(worst, judgement.worst_ratio);
    }
  }
  EXPECT_GT(elements, testing::sanitized_share(100000));
  EXPECT_GT(trusted, testing::sanitized_share(2000));
  EXPECT_GT(worst, 0.1);  // the bound is not so wide that nothing comes near
}

}  // namespace
}  // namespace assay::oracle
