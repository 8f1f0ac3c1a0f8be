// Reads a problem as the products that its pass makes: out[m, n] = A[m, r] B[r, n] of each expert.
#pragma once

#include <cmath>

#include "src/problem/problem.h"

namespace assay {

class ProductView {
 public:
  ProductView(const Problem& problem, Index expert) : problem_(problem), expert_(expert) {}

  Index rows() const { return problem_.spec.rows[expert_]; }
  Index m() const { return pass() == Pass::kWgrad ? problem_.spec.k : rows(); }
  Index n() const { return pass() == Pass::kDgrad ? problem_.spec.k : problem_.spec.n; }
  Index reduction() const {
    return pass() == Pass::kFwd     ? problem_.spec.k
           : pass() == Pass::kDgrad ? problem_.spec.n
                                    : rows();
  }

  double x(Index row, Index k) const { return value(Role::kX, first_row() + row, k); }
  double y(Index row, Index n) const { return value(Role::kY, first_row() + row, n); }
  double w(Index k, Index n) const {
    const CaseSpec& spec = problem_.spec;
    return spec.weights == WeightsLayout::kEnk ? value(Role::kW, expert_ * spec.n + n, k)
                                               : value(Role::kW, expert_ * spec.k + k, n);
  }
  double a(Index m, Index r) const {
    return pass() == Pass::kFwd ? x(m, r) : pass() == Pass::kDgrad ? y(m, r) : x(r, m);
  }
  double b(Index r, Index n) const {
    return pass() == Pass::kFwd ? w(r, n) : pass() == Pass::kDgrad ? w(n, r) : y(r, n);
  }
  double c(Index m, Index n) const {
    return pass() == Pass::kFwd ? y(m, n) : pass() == Pass::kDgrad ? x(m, n) : w(m, n);
  }

 private:
  Pass pass() const { return problem_.spec.pass; }
  Index first_row() const { return problem_.dense_starts[expert_]; }
  double value(Role role, Index row, Index col) const {
    const DenseOperand& operand = problem_.operands[role];
    return decode(operand.format, load_bits(operand.format, operand.element(row, col)));
  }

  const Problem& problem_;
  Index expert_;
};

struct ExactOutput {
  double value = 0;  // C + times * Σ products
  double gauge = 0;  // |C| + times * Σ |products|
};

// Exact as long as the gauge stays below 2^53.
inline ExactOutput exact_output_of(const ProductView& view, Index m, Index n, int times) {
  ExactOutput output;
  for (Index r = 0; r < view.reduction(); ++r) {
    const double product = view.a(m, r) * view.b(r, n);
    output.value += product;
    output.gauge += std::abs(product);
  }
  output.value = output.value * times + view.c(m, n);
  output.gauge = output.gauge * times + std::abs(view.c(m, n));
  return output;
}

}  // namespace assay
