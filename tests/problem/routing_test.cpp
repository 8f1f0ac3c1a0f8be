#include "src/problem/routing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/problem/fixed_point.h"

namespace assay {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Index> expanded(std::string_view text, std::uint64_t seed = 1) {
  const Result<std::vector<Index>> rows = expand_generator(text, seed);
  EXPECT_TRUE(rows.has_value()) << (rows ? "" : rows.error().message);
  return rows.value_or(std::vector<Index>{});
}

std::string refusal(std::string_view text) {
  const Result<std::vector<Index>> rows = expand_generator(text, 1);
  EXPECT_FALSE(rows.has_value()) << text;
  return rows ? "" : rows.error().message;
}

Index sum(const std::vector<Index>& rows) {
  return std::accumulate(rows.begin(), rows.end(), Index{0});
}
Index most(const std::vector<Index>& rows) { return *std::max_element(rows.begin(), rows.end()); }
Index empties(const std::vector<Index>& rows) { return std::count(rows.begin(), rows.end(), 0); }

TEST(Routing, TheTotalIsKeptExactly) {
  for (const char* call :
       {"balanced(total=#,experts=7)", "zipf(1.1,total=#,experts=64)", "zipf(0,total=#,experts=3)",
        "zipf(9.5,total=#,experts=1000)", "dirichlet(0.01,total=#,experts=64)",
        "dirichlet(1,total=#,experts=64)", "dirichlet(1000,total=#,experts=5)",
        "one_hot(total=#,experts=9)", "mostly_empty(total=#,experts=100,busy=4)"}) {
    for (const Index total : {Index{4}, Index{5}, Index{4096}, Index{1000003}, Index{1} << 40}) {
      std::string text = call;
      text.replace(text.find('#'), 1, std::to_string(total));
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        EXPECT_EQ(sum(expanded(text, seed)), total) << text << " seed " << seed;
      }
    }
  }
}

TEST(Routing, SeedsDrawTheSameCountsOnEveryMachine) {
  EXPECT_THAT(expanded("zipf(1.1,total=100,experts=8)", 7), ElementsAre(18, 7, 5, 12, 5, 40, 9, 4));
  EXPECT_THAT(expanded("dirichlet(0.5,total=100,experts=8)", 7),
              ElementsAre(7, 14, 15, 0, 36, 2, 20, 6));
  EXPECT_THAT(expanded("mostly_empty(total=100,experts=8,busy=3)", 7),
              ElementsAre(0, 0, 80, 0, 15, 5, 0, 0));
  EXPECT_THAT(expanded("around(64,experts=6)", 7), ElementsAre(63, 63, 127, 127, 193, 128));
}

TEST(Routing, AnotherSeedDrawsOtherCounts) {
  for (const char* call : {"zipf(1.1,total=1000,experts=16)", "dirichlet(1,total=1000,experts=16)",
                           "mostly_empty(total=1000,experts=16,busy=5)", "around(64,experts=16)"}) {
    EXPECT_NE(expanded(call, 1), expanded(call, 2)) << call;
  }
}

TEST(Routing, BalancedGivesTheRemainderToTheFirst) {
  EXPECT_THAT(expanded("balanced(total=11,experts=4)"), ElementsAre(3, 3, 3, 2));
  EXPECT_THAT(expanded("balanced( experts=2 , total=0 )"), ElementsAre(0, 0));
}

TEST(Routing, ZipfSharesFallWithTheRank) {
  std::vector<Index> rows = expanded("zipf(1,total=1000000,experts=10)");
  std::sort(rows.rbegin(), rows.rend());
  double harmonic = 0;
  for (int rank = 1; rank <= 10; ++rank) { harmonic += 1.0 / rank; }
  for (int rank = 1; rank <= 10; ++rank) {
    const double share = 1000000 / (harmonic * rank);
    EXPECT_LE(std::abs(static_cast<double>(rows[rank - 1]) - share), 1) << rank;
  }
  EXPECT_EQ(most(expanded("zipf(0,total=640,experts=64)")), 10);
}

TEST(Routing, DirichletIsEvenForLargeAlphaAndSteepForSmall) {
  const std::vector<Index> even = expanded("dirichlet(1000,total=64000,experts=64)");
  EXPECT_LT(most(even), 1300);
  EXPECT_EQ(empties(even), 0);
  const std::vector<Index> steep = expanded("dirichlet(0.01,total=64000,experts=64)");
  EXPECT_GT(most(steep), 20000);
  EXPECT_GT(empties(steep), 20);
}

// A share of a symmetric Dirichlet has variance (1/E)(1 - 1/E)/(E alpha + 1).
TEST(Routing, DirichletHasItsVariance) {
  constexpr double kExperts = 8, kAlpha = 0.5, kTotal = 1 << 20;
  double squares = 0;
  constexpr int kDraws = 400;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    for (const Index rows : expanded("dirichlet(0.5,total=1048576,experts=8)", seed)) {
      const double off = static_cast<double>(rows) / kTotal - 1 / kExperts;
      squares += off * off;
    }
  }
  const double variance = squares / (kDraws * kExperts);
  const double wanted = (1 / kExperts) * (1 - 1 / kExperts) / (kExperts * kAlpha + 1);
  EXPECT_GT(variance, wanted * 0.85);
  EXPECT_LT(variance, wanted * 1.15);
}

TEST(Routing, OneHotAndSingleRows) {
  EXPECT_THAT(expanded("one_hot(total=9,experts=3,expert=2)"), ElementsAre(0, 0, 9));
  EXPECT_EQ(empties(expanded("one_hot(total=9,experts=64)")), 63);
  EXPECT_THAT(expanded("single_rows(experts=4)"), Each(1));
  const std::vector<Index> few = expanded("single_rows(experts=64,busy=5)");
  EXPECT_EQ(sum(few), 5);
  EXPECT_EQ(most(few), 1);
}

TEST(Routing, MostlyEmptyKeepsEveryBusyExpertBusy) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(empties(expanded("mostly_empty(total=6,experts=50,busy=5)", seed)), 45);
  }
}

TEST(Routing, AroundStaysAroundTileHeights) {
  for (const Index rows : expanded("around(128,experts=500)")) {
    const Index off = (rows + 1) % 128;
    EXPECT_LE(off, 2) << rows;
    EXPECT_GE(rows, 127);
    EXPECT_LE(rows, 3 * 128 + 1);
  }
}

TEST(Routing, RecordedReadsTheCorpus) {
  const std::vector<Index> rows = expanded("recorded(moe64_top2_noaux,396,3)");
  EXPECT_EQ(rows.size(), 64u);
  EXPECT_EQ(rows[0], 187);
  EXPECT_EQ(rows[63], 0);
}

TEST(Routing, BadCallsAreQuotedAndExplained) {
  EXPECT_THAT(refusal("zip(1,total=1,experts=1)"), HasSubstr("unknown generator 'zip'"));
  EXPECT_THAT(refusal("zip(1,total=1,experts=1)"), HasSubstr("recorded(file,step,layer)"));
  EXPECT_THAT(refusal("zipf"), HasSubstr("'zipf' is not a generator call"));
  EXPECT_THAT(refusal("zipf(1,total=1"), HasSubstr("is not a generator call"));
  EXPECT_THAT(refusal("zipf(total=1,experts=1)"), HasSubstr("takes 1 value without a name, not 0"));
  EXPECT_THAT(refusal("zipf(x,total=1,experts=1)"),
              HasSubstr("'x' of s is not a number in [0, 1000]"));
  EXPECT_THAT(refusal("zipf(1001,total=1,experts=1)"), HasSubstr("'1001' of s"));
  EXPECT_THAT(refusal("zipf(1,experts=1)"), HasSubstr("lacks total=; allowed: zipf(s,total="));
  EXPECT_THAT(refusal("balanced(total=1,total=2,experts=1)"),
              HasSubstr("repeated parameter 'total'"));
  EXPECT_THAT(refusal("balanced(total=1,experts=1,busy=1)"), HasSubstr("unknown parameter 'busy'"));
  EXPECT_THAT(refusal("balanced(total=1,experts=0)"),
              HasSubstr("'0' of experts= is not an integer in [1,"));
  EXPECT_THAT(refusal("balanced(total=-1,experts=1)"), HasSubstr("'-1' of total="));
  EXPECT_THAT(refusal("dirichlet(0,total=1,experts=1)"), HasSubstr("alpha must lie in"));
  EXPECT_THAT(refusal("one_hot(total=1,experts=3,expert=3)"),
              HasSubstr("expert=3 is past the last"));
  EXPECT_THAT(refusal("mostly_empty(total=9,experts=3,busy=4)"), HasSubstr("more than experts=3"));
  EXPECT_THAT(refusal("mostly_empty(total=2,experts=3,busy=3)"), HasSubstr("need a row each"));
  EXPECT_THAT(refusal("single_rows(experts=3,busy=4)"), HasSubstr("more than experts=3"));
  EXPECT_THAT(refusal("recorded(moe64_top2_noaux,1)"),
              HasSubstr("must be recorded(file,step,layer)"));
  EXPECT_THAT(refusal("recorded(moe64_top2_noaux,x,1)"), HasSubstr("must be integers"));
  EXPECT_THAT(refusal("recorded(moe64_top2_noaux,1,0)"), HasSubstr("has no step 1 layer 0"));
  EXPECT_THAT(refusal("recorded(no_such_file,0,0)"), HasSubstr("'no_such_file' is not a file"));
}

TEST(FixedPoint, LogarithmAndPowerAreRightToTheLastBits) {
  Rng rng(3);
  constexpr double kBits = 0x1p-32;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t value = 1 + (rng.next() >> rng.below(64));
    if (value == 0) { continue; }
    const double exact = std::log2(static_cast<double>(value));
    EXPECT_LE(std::abs(static_cast<double>(log2_fixed(value)) * kBits - exact), 4 * kBits) << value;
    const Fixed x = -rng.below(20 * kFixedOne);
    const double power = std::exp2(static_cast<double>(x) * kBits) * 0x1p40;
    EXPECT_LE(std::abs(static_cast<double>(exp2_40(x)) - power), 1 + power * 0x1p-38) << x;
  }
  EXPECT_EQ(exp2_40(0), std::uint64_t{1} << 40);
  EXPECT_EQ(exp2_40(-100 * kFixedOne), 0u);
}

TEST(FixedPoint, ReadsDecimalNumbers) {
  EXPECT_EQ(parse_fixed("1.5").value(), 3 * kFixedOne / 2);
  EXPECT_EQ(parse_fixed("0.000000001").value(), 4);  // 4.29 of 2^-32
  for (const char* bad : {"", ".", "1.", ".5", "-1", "1e3", "1.1.1", "1234567", "0.1234567891"}) {
    EXPECT_FALSE(parse_fixed(bad).has_value()) << bad;
  }
}

// gamma(shape) has mean and variance equal to its shape.
TEST(FixedPoint, GammaHasItsMoments) {
  for (const double shape : {0.3, 1.0, 4.0}) {
    Rng rng(5);
    constexpr int kDraws = 20000;
    double total = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const Fixed drawn =
          log2_gamma(rng, static_cast<Fixed>(shape * static_cast<double>(kFixedOne)));
      const double value = std::exp2(static_cast<double>(drawn) * 0x1p-32);
      total += value;
      squares += value * value;
    }
    const double mean = total / kDraws;
    EXPECT_GT(mean, shape * 0.95);
    EXPECT_LT(mean, shape * 1.05);
    EXPECT_GT(squares / kDraws - mean * mean, shape * 0.85);
    EXPECT_LT(squares / kDraws - mean * mean, shape * 1.15);
  }
}

}  // namespace
}  // namespace assay
