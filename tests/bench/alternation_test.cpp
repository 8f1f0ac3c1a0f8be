#include "src/bench/alternation.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(AlternatingOrder, HoldsEveryoneOnceARound) {
  for (int round = 0; round < 9; ++round) {
    const auto order = alternating_order(4, round);
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 4u);
  }
  EXPECT_TRUE(alternating_order(0, 3).empty());
}

TEST(AlternatingOrder, EveryoneIsFirstAndFollowsEveryOther) {
  std::set<std::size_t> first;
  std::set<std::pair<std::size_t, std::size_t>> followed;
  for (int round = 0; round < 8; ++round) {
    const auto order = alternating_order(4, round);
    first.insert(order.front());
    for (std::size_t i = 1; i < order.size(); ++i) { followed.insert({order[i - 1], order[i]}); }
  }
  EXPECT_EQ(first.size(), 4u);
  EXPECT_GE(followed.size(), 8u) << "each has at least two different predecessors";
}

}  // namespace
}  // namespace assay
