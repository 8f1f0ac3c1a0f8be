// ReductionBench: sums of products that we choose, one an output, added up by the kernel.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/probe/experiments.h"

namespace assay {

// One term of a line's sum: value (in units) at a place of the reduction.
struct Term {
  Index place = 0;
  double value = 0;
};
using Line = std::vector<Term>;

// How far apart two products of such inputs may lie: +-2^largest_exponent units, 1.5 units among
// them.
int largest_exponent(const Inputs& in);

// Of a problem of which we choose one output element a line: the two operands, where their elements
// of a line lie, and the output of a line of A and a column of B.
DenseOperand& left_operand(Problem& problem);
std::byte* left_element(Problem& problem, Index line, Index place);
DenseOperand& right_operand(Problem& problem);
std::byte* right_element(Problem& problem, Index place, Index col);
double output_of(const Problem& problem, const Outcome& outcome, Index line, Index col = 0);
void fill_all(DenseOperand& operand, double value);

class ReductionBench {
 public:
  explicit ReductionBench(Probing& probing);
  // Of other inputs and outputs than the probe's first right call has.
  ReductionBench(Probing& probing, const Combination& format);

  const Inputs& in() const { return spec_.in; }
  Format left() const { return spec_.in.a.format; }
  Format right() const { return spec_.in.b.format; }
  Format out() const { return spec_.out; }
  const CaseSpec& spec() const { return spec_; }
  // Sums over `length` products, those that a line does not name are zero; in units. Nothing: the
  // kernel did not answer. `factor` multiplies every product's second operand.
  std::optional<std::vector<double>> run(const std::vector<Line>& lines, Index length,
                                         double factor = 1);

 private:
  CaseSpec shaped(Index lines, Index cols, Index length) const;
  // How many of the wanted lines fit in one call under the kernel's max_rows; 0 if none.
  Index most_lines(Index wanted, Index length) const;
  // Every line against one column of equal factors.
  std::optional<std::vector<double>> run_rows(std::span<const Line> lines, Index length,
                                              double factor);
  // Each line against a column of its own, so that both factors of a product span their range.
  std::optional<std::vector<double>> run_diagonal(std::span<const Line> lines, Index length);

  Probing& probing_;
  CaseSpec spec_;  // pass, formats and layout of the sums
};

}  // namespace assay
