#include "src/bench/sample_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(SampleStatistics, MedianOfAnOddAndAnEvenNumber) {
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(SampleStatistics, SpreadIsTheQuartilesDistanceOverTheMedian) {
  EXPECT_EQ(spread({1, 2, 3, 4, 5}), 2.0 / 3);
  EXPECT_EQ(spread({5, 5, 5, 5}), 0);
  EXPECT_EQ(spread({1, 100, 10000}), 0) << "three samples have no quartiles";
}

TEST(SampleStatistics, OneOutlierMovesNeitherMedianNorSpread) {
  EXPECT_EQ(median({1, 1, 1, 1, 1000}), 1);
  EXPECT_EQ(spread({1, 1, 1, 1, 1000}), 0);
}

// Clocks halve in the middle of the run: both slow down, their ratio does not.
TEST(SampleStatistics, RatiosArePairedRoundByRound) {
  EXPECT_EQ(median_ratio({2, 2, 4, 4}, {1, 1, 2, 2}), 2);
  EXPECT_EQ(median_ratio({1, 2, 4}, {4, 2, 1}), 1);
}

}  // namespace
}  // namespace assay
