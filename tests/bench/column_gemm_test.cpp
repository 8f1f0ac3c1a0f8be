#include "src/bench/column_gemm.h"

#include <gtest/gtest.h>

#include "src/bench/sampled_elements.h"

namespace assay {
namespace {

using Values = std::vector<double>;

// x, w, y of one expert, each element another small integer.
PerOperand<Values> operands(Index m, Index k, Index n) {
  PerOperand<Values> all;
  const auto fill = [](Values& values, Index count, int step) {
    for (Index i = 0; i < count; ++i) { values.push_back(static_cast<double>(i * step % 11 - 5)); }
  };
  fill(all.x, m * k, 3);
  fill(all.w, n * k, 5);
  fill(all.y, m * n, 7);
  return all;
}

// c = op(a) op(b) as a column-major BLAS would.
void multiply(const ColumnGemm& g, PerOperand<Values>& all) {
  const auto at = [](const Values& values, Index row, Index col, Index ld, bool transposed) {
    return values[transposed ? row * ld + col : col * ld + row];
  };
  Values result = all[g.c];
  for (Index row = 0; row < g.rows; ++row) {
    for (Index col = 0; col < g.cols; ++col) {
      double sum = 0;
      for (Index i = 0; i < g.depth; ++i) {
        sum += at(all[g.a], row, i, g.a_ld, g.a_transposed) *
               at(all[g.b], i, col, g.b_ld, g.b_transposed);
      }
      result[col * g.c_ld + row] = sum;
    }
  }
  all[g.c] = result;
}

// The sums that the samples of a product describe are those of the BLAS call: two independent
// readings of one layout.
TEST(ColumnGemm, AgreesWithTheSampledElements) {
  constexpr Index kM = 3, kK = 4, kN = 5;
  for (const Pass pass : kAllPasses) {
    for (const WeightsLayout weights : {WeightsLayout::kEnk, WeightsLayout::kEkn}) {
      PerOperand<Values> all = operands(kM, kK, kN);
      const PerOperand<Values> before = all;
      multiply(column_gemm(pass, weights, kM, kK, kN), all);
      const Values& a = before[pass == Pass::kDgrad ? Role::kY : Role::kX];
      const Values& b = before[pass == Pass::kWgrad ? Role::kY : Role::kW];
      const SampledProduct product{pass, weights, kK, kN, {kM}, {0}};
      for (const SampledElement& e : sample_elements(product, 200, 1)) {
        double sum = 0;
        for (Index i = 0; i < e.depth; ++i) {
          sum += a[static_cast<std::size_t>(e.a_first + i * e.a_step)] *
                 b[static_cast<std::size_t>(e.b_first + i * e.b_step)];
        }
        EXPECT_EQ(all[output_role(pass)][e.out], sum)
            << name(pass) << ' ' << name(weights) << " row " << e.row << " column " << e.col;
      }
    }
  }
}

}  // namespace
}  // namespace assay
