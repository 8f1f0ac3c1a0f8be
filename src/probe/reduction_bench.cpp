#include "src/probe/reduction_bench.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr Index kColumns = 8;

// Products are 2^-shift * 2^shift, so that a format of narrow range holds large and small ones.
int shift_of(const Inputs& in) {
  const int lowest = -traits(in.a.format).min_exponent;
  return lowest < 64 ? std::min(lowest, traits(in.b.format).max_exponent) : 0;
}

}  // namespace

DenseOperand& left_operand(Problem& problem) {
  return problem.operands[operation(problem.spec.pass).a.role];
}

std::byte* left_element(Problem& problem, Index line, Index place) {
  const bool turned = operation(problem.spec.pass).a.transposed;
  return left_operand(problem).element(turned ? place : line, turned ? line : place);
}

DenseOperand& right_operand(Problem& problem) {
  return problem.operands[operation(problem.spec.pass).b.role];
}

double output_of(const Problem& problem, const Outcome& outcome, Index line) {
  const DenseOperand& output = problem.output();
  // dW_0 [k, n], or [n, k] where weights are enk.
  const bool transposed =
      output_role(problem.spec.pass) == Role::kW && problem.spec.weights == WeightsLayout::kEnk;
  const Index element = transposed ? line : line * output.cols;
  return decode(output.format, load_bits(output.format, outcome.output.data() +
                                                            element * size_bytes(output.format)));
}

void fill_all(DenseOperand& operand, double value) {
  const std::uint32_t bits = encode(operand.format, value);
  const Index size = size_bytes(operand.format);
  for (std::size_t at = 0; at < operand.bits.size(); at += static_cast<std::size_t>(size)) {
    store_bits(operand.format, operand.bits.data() + at, bits);
  }
}

int largest_exponent(const Inputs& in) {
  constexpr int kEnough = 60;
  return std::min(kEnough, traits(in.a.format).max_exponent + shift_of(in));
}

ReductionBench::ReductionBench(Probing& probing) : probing_(probing), spec_(probing.base) {
  const Manifest& probed = probing.report.probed;
  spec_.pass = probed.passes.front();
  // Shows the most bits.
  if (probed.lists(spec_.pass, spec_.in, Format::kFp32)) { spec_.out = Format::kFp32; }
}

CaseSpec ReductionBench::shaped(Index lines, Index length) const {
  const Manifest& probed = probing_.report.probed;
  CaseSpec spec = spec_;
  const Index rows_multiple = std::max<Index>(probed.row_multiple, 1);
  const Operation& op = operation(spec.pass);
  const auto size = [&](Axis axis) {
    return axis == op.m() ? lines : axis == op.n() ? kColumns : length;
  };
  const Manifest& own = probing_.lab.own();
  const auto fitting = [&](Axis axis, Index found) {
    return align_up(size(axis), std::lcm(found, own.multiple(axis, spec.pass)));
  };
  spec.k = fitting(Axis::kK, probed.k_multiple);
  spec.n = fitting(Axis::kN, probed.n_multiple);
  const Index rows = align_up(size(Axis::kRows), rows_multiple);
  spec.rows = {rows, rows_multiple};
  if (spec.cap > 0) { spec.cap = rows; }
  spec.acc = 0;
  return probing_.lab.placed(spec);
}

std::optional<std::vector<double>> ReductionBench::run(const std::vector<Line>& lines, Index length,
                                                       double factor) {
  const CaseSpec spec = shaped(static_cast<Index>(lines.size()), length);
  if (!check_case(spec)) { return std::nullopt; }
  Problem problem = make_problem(spec);
  for (const Role role : kAllRoles) { fill_scales(problem.scales[role], 1); }
  const double unit = std::ldexp(1.0, -shift_of(spec.in));
  fill_all(left_operand(problem), 0);
  fill_all(right_operand(problem), factor / unit);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (const Term& term : lines[line]) {
      const Format left = spec.in.a.format;
      store_bits(left, left_element(problem, static_cast<Index>(line), term.place),
                 encode(left, term.value * unit));
    }
  }
  const Outcome outcome = probing_.lab.run(problem);
  if (outcome.status != RunStatus::kOk) { return std::nullopt; }
  std::vector<double> sums;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    sums.push_back(output_of(problem, outcome, static_cast<Index>(line)));
  }
  return sums;
}

}  // namespace assay
