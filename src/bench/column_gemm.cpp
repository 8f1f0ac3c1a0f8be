#include "src/bench/column_gemm.h"

#include <utility>

namespace assay {
namespace {

// Whether an operand lies in memory with its axes exchanged: w [k, n] as [n, k].
bool is_turned(Role role, WeightsLayout weights) {
  return role == Role::kW && weights == WeightsLayout::kEnk;
}

}  // namespace

// A row-major [r, c] matrix is column-major [c, r] with the same ld, so out = a b is written
// transposed, out^T = b^T a^T, unless the output itself lies with its axes exchanged.
ColumnGemm column_gemm(Pass pass, WeightsLayout weights, Index m, Index k, Index n) {
  const Operation& op = operation(pass);
  const AxisSizes sizes{.rows = m, .k = k, .n = n};
  const auto ld = [&](Role role) {
    const MatrixAxes axes = axes_of(role);
    return sizes[is_turned(role, weights) ? axes.rows : axes.cols];
  };
  const bool straight = is_turned(op.output, weights);
  FactorRole first = op.b, second = op.a;
  Index rows = sizes[op.n()], cols = sizes[op.m()];
  if (straight) {
    std::swap(first, second);
    std::swap(rows, cols);
  }
  const auto transposed = [&](const FactorRole& factor) {
    return (factor.transposed != is_turned(factor.role, weights)) != straight;
  };
  return {.a_transposed = transposed(first),
          .b_transposed = transposed(second),
          .rows = rows,
          .cols = cols,
          .depth = sizes[op.depth()],
          .a = first.role,
          .b = second.role,
          .c = op.output,
          .a_ld = ld(first.role),
          .b_ld = ld(second.role),
          .c_ld = ld(op.output)};
}

}  // namespace assay
