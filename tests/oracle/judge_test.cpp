#include "oracle/judge.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "oracle/error_bound.h"
#include "oracle/number_line.h"

namespace assay::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Values = std::vector<double>;

// A case of one product, given by values; both oracles must say the same of it.
class Case {
 public:
  Case(Index m, Index k, Index n, const Values& a, const Values& b) : m_(m), k_(k), n_(n) {
    a_ = encode(in_, a);
    b_ = encode(in_, b);
  }
  Case& in(Format format, const Values& a, const Values& b) {
    in_ = format;
    a_ = encode(format, a);
    b_ = encode(format, b);
    return *this;
  }
  Case& out(Format format) {
    out_ = format;
    return *this;
  }
  Case& initial(const Values& c) {
    c_ = encode(out_, c);
    return *this;
  }
  Case& times(int count) {
    times_ = count;
    return *this;
  }
  Case& previous(const Values& values) {
    previous_ = encode(out_, values);
    return *this;
  }
  Case& exact() {
    options_.exact_input = true;
    return *this;
  }
  Case& skip_zeros_and_scaled() {
    options_.skip_zeros_and_scaled = true;
    return *this;
  }
  Case& arithmetic(const Arithmetic& declared) {
    arithmetic_ = declared;
    return *this;
  }

  Judgement judge(const Values& got) {
    got_ = encode(out_, got);
    Product product;
    product.times = times_;
    product.a = matrix(a_, in_, m_, k_);
    product.b = matrix(b_, in_, k_, n_);
    product.got = matrix(got_, out_, m_, n_);
    if (!c_.empty()) { product.c = matrix(c_, out_, m_, n_); }
    if (!previous_.empty()) { product.previous = matrix(previous_, out_, m_, n_); }
    const Judgement exact = judge_exact({&product, 1}, arithmetic_, options_);
    const Judgement fast = judge_fast({&product, 1}, arithmetic_, options_);
    EXPECT_EQ(exact.wrong, fast.wrong);
    EXPECT_EQ(exact.trivial_differs, fast.trivial_differs);
    EXPECT_EQ(exact.trivial_accepted, fast.trivial_accepted);
    EXPECT_EQ(exact.inconclusive(), fast.inconclusive());
    if (exact.worst_ratio > 0) {
      EXPECT_EQ(exact.worst.row, fast.worst.row);
      EXPECT_EQ(exact.worst.col, fast.worst.col);
      EXPECT_EQ(exact.worst_ratio, fast.worst_ratio);
    }
    return exact;
  }
  bool accepts(const Values& got) { return judge(got).wrong == 0; }

 private:
  static std::vector<char> encode(Format format, const Values& values) {
    const Index size_bytes = shape(format).size_bytes;
    std::vector<char> bytes(values.size() * size_bytes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      store(format, bytes.data() + i * size_bytes, round_nearest(format, values[i]));
    }
    return bytes;
  }
  static Matrix matrix(const std::vector<char>& bytes, Format format, Index rows, Index cols) {
    return {bytes.data(), format, rows, cols, cols, 1};
  }

  Index m_, k_, n_;
  int times_ = 1;
  Format in_ = Format::kFp32, out_ = Format::kBf16;
  std::vector<char> a_, b_, c_, got_, previous_;
  Arithmetic arithmetic_ = kFp32Fma;
  JudgeOptions options_;
};

Case dot(const Values& a, const Values& b) {
  return Case(1, static_cast<Index>(a.size()), 1, a, b);
}

TEST(Judge, ExactInputsMustBeTheResultRoundedOnce) {
  Case one = dot({3, 5}, {7, -2});
  EXPECT_TRUE(one.exact().accepts({11}));
  EXPECT_FALSE(one.accepts({11 + 0x1p-4}));
  EXPECT_FALSE(one.accepts({11 - 0x1p-4}));
  EXPECT_FALSE(one.accepts({-11}));
  EXPECT_FALSE(one.accepts({0}));
  EXPECT_FALSE(one.accepts({kNan}));
  EXPECT_FALSE(one.accepts({kInfinity}));
}

TEST(Judge, TiesGoToTheEvenNumber) {
  Case low = dot({1, 0x1p-8}, {1, 1});
  EXPECT_TRUE(low.exact().accepts({1}));
  EXPECT_FALSE(low.accepts({1 + 0x1p-7}));
  Case high = dot({1, 3 * 0x1p-8}, {1, 1});
  EXPECT_TRUE(high.exact().accepts({1 + 0x1p-6}));
  EXPECT_FALSE(high.accepts({1 + 0x1p-7}));
  // A hair beside the tie, far below the last bit of a double.
  Case above = dot({1, 0x1p-8, 0x1p-100}, {1, 1, 1});
  EXPECT_TRUE(above.exact().accepts({1 + 0x1p-7}));
  EXPECT_FALSE(above.accepts({1}));
  Case below = dot({1, 0x1p-8, -0x1p-100}, {1, 1, 1});
  EXPECT_TRUE(below.exact().accepts({1}));
  EXPECT_FALSE(below.accepts({1 + 0x1p-7}));
}

TEST(Judge, NearTiesMayRoundToEitherSideWithinTheBound) {
  // 2^-26 below a tie; E is 2 * 2^-24 of about 1.
  Case near = dot({1, 0x1p-8 - 0x1p-26}, {1, 1});
  EXPECT_TRUE(near.accepts({1}));
  EXPECT_TRUE(near.accepts({1 + 0x1p-7}));
  EXPECT_FALSE(near.accepts({1 + 0x1p-6}));
  // 2^-12 below it is too far.
  Case far = dot({1, 0x1p-8 - 0x1p-12}, {1, 1});
  EXPECT_TRUE(far.accepts({1}));
  EXPECT_FALSE(far.accepts({1 + 0x1p-7}));
}

TEST(Judge, RatioIsTheDistanceToWhatRoundsThere) {
  Case near = dot({1, 0x1p-8 - 0x1p-24}, {1, 1});
  const Reduction reduction{
      .length = 2, .a = Format::kFp32, .b = Format::kFp32, .out = Format::kBf16};
  const double gauge = 1 + 0x1p-8 - 0x1p-24;
  const Judgement judgement = near.judge({1 + 0x1p-7});
  EXPECT_EQ(judgement.worst.bound, error_bound(kFp32Fma, reduction).at(gauge));
  EXPECT_EQ(judgement.worst.ratio, 0x1p-24 / judgement.worst.bound);
  EXPECT_EQ(judgement.worst.exact, gauge);
  EXPECT_EQ(judgement.worst.exact_bits, 0x3F80u);
  EXPECT_EQ(judgement.worst.got_bits, 0x3F81u);
  EXPECT_EQ(judgement.worst.gauge, (1 + 0x1p-7 - gauge) / (0x1p-24 * gauge));
  EXPECT_EQ(near.judge({1}).worst.ratio, 0);
  EXPECT_EQ(near.exact().judge({1 + 0x1p-7}).worst.ratio, kInfinity);
}

TEST(Judge, BothZerosAreAlikeAndSoIsEveryNan) {
  Case zero = dot({1, -1}, {1, 1});
  EXPECT_TRUE(zero.exact().accepts({0.0}));
  EXPECT_TRUE(zero.accepts({-0.0}));
  Case nan = dot({kInfinity, 1}, {0, 1});
  EXPECT_TRUE(nan.accepts({kNan}));
  EXPECT_FALSE(nan.accepts({1}));
  EXPECT_FALSE(nan.accepts({kInfinity}));
  Case infinite = dot({-kInfinity, 1}, {2, 1});
  EXPECT_TRUE(infinite.accepts({-kInfinity}));
  EXPECT_FALSE(infinite.accepts({kInfinity}));
  EXPECT_FALSE(infinite.accepts({kNan}));
  EXPECT_FALSE(infinite.accepts({-1e30}));
}

TEST(Judge, EmptyReductionsAreZeroOrKeepC) {
  Case none(2, 0, 2, {}, {});
  EXPECT_TRUE(none.accepts({0, -0.0, 0, 0}));
  EXPECT_FALSE(none.accepts({0, 0, 0x1p-133, 0}));
  Case kept(1, 0, 3, {}, {});
  kept.initial({1.5, 0x1p-133, kInfinity});
  EXPECT_TRUE(kept.accepts({1.5, 0x1p-133, kInfinity}));
  EXPECT_FALSE(kept.accepts({1.5, 0, kInfinity}));
}

TEST(Judge, CasesWithoutElementsHaveNoVerdict) {
  for (const auto& [m, n] : {std::pair<Index, Index>{0, 4}, {4, 0}, {0, 0}}) {
    Case empty(m, 2, n, Values(m * 2, 1.0), Values(2 * n, 1.0));
    const Judgement judgement = empty.judge({});
    EXPECT_EQ(judgement.elements, 0);
    EXPECT_EQ(judgement.wrong, 0);
    EXPECT_FALSE(judgement.inconclusive());
  }
}

TEST(Judge, AddsIntoCAsOftenAsCalled) {
  Case twice = dot({2}, {3});
  twice.out(Format::kFp32).initial({10}).times(2).exact();
  EXPECT_TRUE(twice.accepts({22}));
  EXPECT_FALSE(twice.accepts({16}));
  EXPECT_FALSE(twice.accepts({12}));
}

TEST(Judge, OverflowsWhereTheBoundReachesTheThreshold) {
  Case large = dot({0x1p15, 0x1p15 - 32}, {1, 1});
  large.out(Format::kFp16).exact();
  EXPECT_TRUE(large.accepts({65504}));
  EXPECT_FALSE(large.accepts({kInfinity}));
  Case half_way = dot({0x1p15, 0x1p15 - 16}, {1, 1});
  half_way.out(Format::kFp16).exact();
  EXPECT_TRUE(half_way.accepts({kInfinity}));  // the tie goes to what would be even
  EXPECT_FALSE(half_way.accepts({65504}));
  Case close = dot({0x1p15, 0x1p15 - 16 - 0x1p-9}, {1, 1});
  close.out(Format::kFp16);
  EXPECT_TRUE(close.accepts({65504}));
  EXPECT_TRUE(close.accepts({kInfinity}));
  EXPECT_FALSE(close.accepts({-kInfinity}));
}

TEST(Judge, SaturatingKernelsStopAtTheLargestNumber) {
  Arithmetic saturating = kFp32Fma;
  saturating.saturates = true;
  Case large = dot({0x1p15, 0x1p15}, {4, 4});
  large.out(Format::kFp16).exact();
  EXPECT_TRUE(large.accepts({kInfinity}));
  EXPECT_FALSE(large.accepts({65504}));
  large.arithmetic(saturating);
  EXPECT_TRUE(large.accepts({65504}));
  EXPECT_FALSE(large.accepts({kInfinity}));
  EXPECT_FALSE(large.accepts({65472}));
}

TEST(Judge, ABoundBeyondEveryNumberAcceptsAll) {
  const std::vector<double> ones(3000, 1);
  Case vague = dot(ones, ones);
  vague.arithmetic({.kind = Arithmetic::Kind::kStep, .fraction_bits = 1, .out_bits = 1});
  EXPECT_TRUE(vague.accepts({3000}));
  EXPECT_TRUE(vague.accepts({0}));
}

TEST(Judge, FormatsWithoutInfinityOverflowToNan) {
  Case large = dot({300, 300}, {1, 1});
  large.out(Format::kE4m3).exact();
  EXPECT_TRUE(large.accepts({kNan}));
  EXPECT_FALSE(large.accepts({448}));
}

TEST(Judge, ConvertedOperandsAreWhatCounts) {
  const double a = 1 + 0x1p-10 + 0x1p-11;
  Case plain = dot({a}, {1});
  plain.out(Format::kFp32).exact();
  EXPECT_TRUE(plain.accepts({a}));
  Arithmetic truncating = kFp32Fma;
  truncating.conversion = Conversion::kTf32Rz;
  plain.arithmetic(truncating);
  EXPECT_TRUE(plain.accepts({1 + 0x1p-10}));
  EXPECT_FALSE(plain.accepts({a}));
  Arithmetic rounding = kFp32Fma;
  rounding.conversion = Conversion::kTf32Rna;
  plain.arithmetic(rounding);
  EXPECT_TRUE(plain.accepts({1 + 0x1p-9}));
  EXPECT_FALSE(plain.accepts({1 + 0x1p-10}));
}

TEST(Judge, TrivialAnswersAreRejectedOnOrdinaryData) {
  Case plain(2, 2, 2, {1, 2, 3, 4}, {5, 6, 7, 9});
  plain.previous({1, 1, 1, 1});
  const Judgement judgement = plain.judge({19, 24, 43, 54});
  EXPECT_EQ(judgement.wrong, 0);
  EXPECT_FALSE(judgement.inconclusive());
  for (int i = 0; i < kTrivialCount; ++i) {
    EXPECT_EQ(judgement.trivial_differs[i], 4) << name(static_cast<Trivial>(i));
    EXPECT_FALSE(judgement.trivial_accepted[i]) << name(static_cast<Trivial>(i));
  }
}

TEST(Judge, RulesThatAcceptZerosAreMistrusted) {
  // The exact result is far inside of its own bound.
  Case cancelling = dot({0x1p20, -0x1p20, 0x1p-10}, {1, 1, 1});
  EXPECT_TRUE(cancelling.judge({0x1p-10}).inconclusive());
  EXPECT_EQ(cancelling.judge({0x1p-10}).trivial_differs[static_cast<int>(Trivial::kZeros)], 1);
  EXPECT_FALSE(cancelling.skip_zeros_and_scaled().judge({0x1p-10}).inconclusive());
}

TEST(Judge, AnswersThatDifferNowhereDoNotMistrust) {
  // Zeros are right for a reduction of nothing, and equal rows have no other order.
  EXPECT_FALSE(Case(2, 0, 2, {}, {}).judge({0, 0, 0, 0}).inconclusive());
  Case equal_rows(2, 1, 1, {3, 3}, {5});
  const Judgement judgement = equal_rows.judge({15, 15});
  EXPECT_EQ(judgement.trivial_differs[static_cast<int>(Trivial::kRowsRotated)], 0);
  EXPECT_TRUE(judgement.trivial_accepted[static_cast<int>(Trivial::kRowsRotated)]);
  EXPECT_FALSE(judgement.inconclusive());
  Case same_again = dot({3}, {5});
  EXPECT_FALSE(same_again.previous({15}).judge({15}).inconclusive());
}

TEST(Judge, SumsBeyondTheAccumulatorAreMistrusted) {
  Case large = dot({0x1p100, -0x1p100, 1}, {0x1p28, 0x1p28, 1});
  for (const double got : {1.0, kInfinity, -kInfinity, kNan}) {
    const Judgement judgement = large.judge({got});
    EXPECT_EQ(judgement.wrong, 0) << got;
    EXPECT_TRUE(judgement.overflowing);
    EXPECT_TRUE(judgement.inconclusive());
  }
  Case fitting = dot({0x1p100, -0x1p100, 1}, {0x1p25, 0x1p25, 1});
  EXPECT_FALSE(fitting.judge({kInfinity}).overflowing);
  EXPECT_EQ(fitting.judge({kInfinity}).wrong, 1);
}

TEST(Judge, ElementsOfAllProductsAreCounted) {
  const std::uint16_t one = 0x3F80, two = 0x4000;
  Product right, wrong;
  right.a = right.b = right.got = {&one, Format::kBf16, 1, 1, 1, 1};
  wrong = right;
  wrong.got.data = &two;
  const Product products[] = {right, wrong, right};
  std::vector<std::uint8_t> map;
  const Judgement judgement = judge_fast(products, kFp32Fma, {.wrong_map = &map});
  EXPECT_EQ(judgement.elements, 3);
  EXPECT_EQ(judgement.wrong, 1);
  EXPECT_EQ(map, (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(judgement.worst.product, 1);
}

}  // namespace
}  // namespace assay::oracle
