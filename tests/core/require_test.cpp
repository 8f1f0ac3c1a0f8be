#include "src/core/require.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(RequireDeathTest, PrintsTheExpressionAndTheValues) {
  const int rows = 7;
  EXPECT_DEATH(ASSAY_REQUIRE(rows < 3, rows, "limit"),
               "broken invariant at .*require_test.cpp.*: rows < 3; values: 7 limit");
}

TEST(Require, IsSilentWhenItHolds) { ASSAY_REQUIRE(1 < 2); }

}  // namespace
}  // namespace assay
