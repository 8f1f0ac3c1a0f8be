#include "src/bench/column_gemm.h"

namespace assay {

// A row-major [r, c] matrix is column-major [c, r] with the same ld, so each product is written
// transposed: y^T = w^T x^T and so on.
ColumnGemm column_gemm(Pass pass, WeightsLayout weights, Index m, Index k, Index n) {
  const bool enk = weights == WeightsLayout::kEnk;
  const Index w_ld = enk ? k : n;
  switch (pass) {
    case Pass::kFwd:
      return {enk, false, n, m, k, Role::kW, Role::kX, Role::kY, w_ld, k, n};
    case Pass::kDgrad:
      return {!enk, false, k, m, n, Role::kW, Role::kY, Role::kX, w_ld, n, k};
    case Pass::kWgrad:
      break;
  }
  if (enk) { return {false, true, k, n, m, Role::kX, Role::kY, Role::kW, k, n, k}; }
  return {false, true, n, k, m, Role::kY, Role::kX, Role::kW, n, k, n};
}

}  // namespace assay
