#include "src/diagnosis/hypotheses/operands.h"

namespace assay {

bool inside_operands(const Problem& problem, const oracle::Matrix& matrix) {
  if (matrix.rows == 0 || matrix.cols == 0) { return true; }
  const Index size = oracle::shape(matrix.format).size_bytes;
  const auto* first = static_cast<const std::byte*>(matrix.data);
  // As numbers: the address may lie outside every object.
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const Index reach =
      ((matrix.rows - 1) * matrix.row_stride + (matrix.cols - 1) * matrix.col_stride + 1) * size;
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    const std::vector<std::byte>& bits = problem.operands[role].bits;
    const auto begin = reinterpret_cast<std::uintptr_t>(bits.data());
    if (address >= begin && address + static_cast<std::uintptr_t>(reach) <= begin + bits.size()) {
      return true;
    }
  }
  return false;
}

bool set_reduction(const Problem& problem, oracle::Product& product, Index first, Index count) {
  product.a = moved(product.a, 0, first);
  product.b = moved(product.b, first, 0);
  product.a.cols = count;
  product.b.rows = count;
  return inside_operands(problem, product.a) && inside_operands(problem, product.b);
}

}  // namespace assay
