#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/problem/case_spec.h"
#include "src/problem/operation.h"

namespace assay {
namespace {

using testing::ElementsAre;

TEST(Operation, FactorsFitTogether) {
  for (const Pass pass : kAllPasses) {
    const Operation& op = operation(pass);
    SCOPED_TRACE(op.name);
    EXPECT_EQ(op.a.cols(), op.b.rows());
    EXPECT_EQ(op.m(), axes_of(op.output).rows);
    EXPECT_EQ(op.n(), axes_of(op.output).cols);
    EXPECT_FALSE(op.reads(op.output));
  }
}

TEST(Operation, RowsAreAddedUpWhereTheOutputHasNone) {
  EXPECT_THAT(passes_that_reduce_rows(), ElementsAre(Pass::kWgrad));
  EXPECT_THAT(passes_with_output_rows(), ElementsAre(Pass::kFwd, Pass::kDgrad));
  for (const Pass pass : kAllPasses) {
    EXPECT_EQ(reduces_rows(pass), axes_of(output_role(pass)).rows != Axis::kRows);
  }
}

TEST(Operation, OnlyGradientsOfWeightsAddUp) {
  EXPECT_THAT(passes_that_accumulate(), ElementsAre(Pass::kWgrad));
  CaseSpec spec;
  spec.pass = Pass::kWgrad;
  spec.out = Format::kFp32;
  EXPECT_TRUE(may_accumulate(spec));
  spec.out = Format::kBf16;
  EXPECT_FALSE(may_accumulate(spec));
  spec.pass = Pass::kDgrad;
  spec.out = Format::kFp32;
  EXPECT_FALSE(may_accumulate(spec));
}

TEST(Operation, TheLongestReductionIsTheDepth) {
  CaseSpec spec;
  spec.k = 5;
  spec.n = 7;
  spec.rows = {2, 11, 3};
  EXPECT_EQ(longest_reduction(spec), 5);
  spec.pass = Pass::kDgrad;
  EXPECT_EQ(longest_reduction(spec), 7);
  spec.pass = Pass::kWgrad;
  EXPECT_EQ(longest_reduction(spec), 11);
}

}  // namespace
}  // namespace assay
