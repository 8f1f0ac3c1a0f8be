#include "src/bench/sampled_elements.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

const SampledProduct kRagged{Pass::kFwd, WeightsLayout::kEnk, 8, 16, {3, 0, 5}, {0, 3, 3}};

SampledProduct ragged(Pass pass) {
  SampledProduct product = kRagged;
  product.pass = pass;
  return product;
}

TEST(SampledElements, ReachBothEndsOfEveryExpert) {
  std::set<std::pair<Index, Index>> rows;
  for (const SampledElement& e : sample_elements(kRagged, 500, 1)) {
    rows.insert({e.expert, e.row});
  }
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_TRUE(rows.count({2, 4}));
}

TEST(SampledElements, OnlyGradientsHaveElementsOfEmptyExperts) {
  const auto of_empty = [](Pass pass) {
    Index count = 0;
    for (const SampledElement& e : sample_elements(ragged(pass), 500, 1)) {
      count += e.expert == 1 ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(of_empty(Pass::kFwd), 0);
  EXPECT_EQ(of_empty(Pass::kDgrad), 0);
  EXPECT_GT(of_empty(Pass::kWgrad), 50);
}

TEST(SampledElements, NoRowsHaveNoElements) {
  const SampledProduct none{Pass::kFwd, WeightsLayout::kEnk, 8, 16, {0, 0}, {0, 0}};
  EXPECT_TRUE(sample_elements(none, 10, 1).empty());
}

constexpr SampledFormats kBf16{.in = Format::kBf16, .out = Format::kBf16, .largest = 4};

Status judged(Index depth, double sum, double gauge, double got) {
  const SampledElement element{.depth = depth, .expert = 7, .row = 3, .col = 1};
  const SampledResult result{.sum = sum, .gauge = gauge, .got_bits = encode(Format::kBf16, got)};
  return accept_samples({&element, 1}, {&result, 1}, kBf16, oracle::kHopperWgmma);
}

TEST(SampledElements, AcceptTheRoundedSum) {
  EXPECT_TRUE(judged(4096, 100.3, 300, 100.5));
  EXPECT_TRUE(judged(4096, -64, 3000, -64));
}

// bf16 has a step of 0.5 at 100: the bound of fp32 sums is far below it.
TEST(SampledElements, RefuseANeighbouringNumber) {
  const Status wrong = judged(4096, 100.3, 300, 101);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("expert 7 row 3 column 1 holds 101"));
  EXPECT_FALSE(judged(4096, 100.3, 300, 0));
  EXPECT_FALSE(judged(4096, 100.3, 300, -100.5));
}

TEST(SampledElements, CancelledSumsHaveTheBoundOfTheirTerms) {
  EXPECT_TRUE(judged(4096, 0.001, 3000, 0.0013));
  EXPECT_FALSE(judged(4096, 0.001, 0.3, 0.0013));
}

TEST(SampledElements, AnEmptyExpertsGradientIsZero) {
  EXPECT_TRUE(judged(0, 0, 0, 0));
  EXPECT_FALSE(judged(0, 0, 0, 0x1p-120));
}

TEST(SampledElements, NanIsWrong) {
  const SampledElement element{.depth = 16};
  const SampledResult result{.sum = 1, .gauge = 1, .got_bits = 0x7FC0};
  EXPECT_FALSE(accept_samples({&element, 1}, {&result, 1}, kBf16, oracle::kHopperWgmma));
}

}  // namespace
}  // namespace assay
