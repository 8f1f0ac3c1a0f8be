// Where each element of a scaled operand finds its scale.
#pragma once

#include "src/problem/problem.h"

namespace assay {

// Calls visit(row, col, scale_row, scale_col) for every element of one expert: its place in the
// operand's dense storage and that of its scale in DenseScales, which has the operand's own axes
// where w is stored by n first. Requires: problem.scales[role].present().
template <class Visit>
void for_each_scaled(const Problem& problem, Role role, Index expert, const Visit& visit) {
  const DenseOperand& operand = problem.operands[role];
  const DenseScales& scales = problem.scales[role];
  const bool turned = role == Role::kW && problem.spec.weights == WeightsLayout::kEnk;
  const Index plane = operand.rows / problem.spec.experts();
  const Index first = role == Role::kW ? expert * plane : problem.dense_starts[expert];
  const Index end = role == Role::kW ? first + plane : problem.dense_starts[expert + 1];
  const auto block_of = [](Index element, Index size) { return size == 0 ? 0 : element / size; };
  for (Index row = first; row < end; ++row) {
    for (Index col = 0; col < operand.cols; ++col) {
      const Index own_row = turned ? col : row - first, own_col = turned ? row - first : col;
      visit(row, col, scales.first[expert] + block_of(own_row, scales.block_rows),
            block_of(own_col, scales.block_cols));
    }
  }
}

}  // namespace assay
