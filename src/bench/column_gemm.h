// ColumnGemm: one expert's product as a BLAS with column-major matrices takes it, all operands
// being row-major and dense: c [rows, cols] = op(a) [rows, depth] op(b) [depth, cols].
#pragma once

#include "src/problem/case_spec.h"

namespace assay {

struct ColumnGemm {
  bool a_transposed = false, b_transposed = false;
  Index rows = 0, cols = 0, depth = 0;  // of the column-major product
  Role a = Role::kW, b = Role::kX, c = Role::kY;
  Index a_ld = 0, b_ld = 0, c_ld = 0;
};

// One expert with m rows: x [m, k], y [m, n], w [n, k] or [k, n]. wgrad's depth is m.
ColumnGemm column_gemm(Pass pass, WeightsLayout weights, Index m, Index k, Index n);

}  // namespace assay
