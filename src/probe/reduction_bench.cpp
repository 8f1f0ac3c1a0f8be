#include "src/probe/reduction_bench.h"

#include <algorithm>
#include <cmath>

#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr Index kColumns = 8;

// Products are 2^-shift * 2^shift, so that a format of narrow range holds large and small ones.
int shift_of(Format in) {
  const int lowest = -traits(in).min_exponent;
  return lowest < 64 ? lowest : 0;
}

// A format of the pass that shows the most bits.
Combination widest(const std::vector<Combination>& formats, const CaseSpec& base) {
  for (const Combination& format : formats) {
    if (format.in == base.in && format.out == Format::kFp32) { return format; }
  }
  return {base.in, base.out};
}

// The operand whose lines are summed, and where its element lies.
std::byte* left_element(Problem& problem, Index line, Index place) {
  switch (problem.spec.pass) {
    case Pass::kFwd:
      return problem.operands.x.element(line, place);
    case Pass::kDgrad:
      return problem.operands.y.element(line, place);
    case Pass::kWgrad:
      break;
  }
  return problem.operands.x.element(place, line);
}

DenseOperand& left_operand(Problem& problem) {
  return problem.spec.pass == Pass::kDgrad ? problem.operands.y : problem.operands.x;
}

DenseOperand& right_operand(Problem& problem) {
  return problem.spec.pass == Pass::kWgrad ? problem.operands.y : problem.operands.w;
}

double output_of(const Problem& problem, const Outcome& outcome, Index line) {
  const DenseOperand& output = problem.output();
  // wgrad: dW_0 [k, n], or [n, k] where weights are enk.
  const bool transposed =
      problem.spec.pass == Pass::kWgrad && problem.spec.weights == WeightsLayout::kEnk;
  const Index element = transposed ? line : line * output.cols;
  return decode(output.format, load_bits(output.format, outcome.output.data() +
                                                            element * size_bytes(output.format)));
}

void fill(DenseOperand& operand, double value) {
  const std::uint32_t bits = encode(operand.format, value);
  const Index size = size_bytes(operand.format);
  for (std::size_t at = 0; at < operand.bits.size(); at += static_cast<std::size_t>(size)) {
    store_bits(operand.format, operand.bits.data() + at, bits);
  }
}

}  // namespace

int largest_exponent(Format in) {
  if (in == Format::kBf16 || in == Format::kFp32) { return 60; }
  const int highest = std::ilogb(traits(in).max_finite);
  return highest + shift_of(in);
}

ReductionBench::ReductionBench(Probing& probing) : probing_(probing), spec_(probing.base) {
  const Manifest& probed = probing.report.probed;
  spec_.pass = probed.passes.front();
  const auto& formats = spec_.pass == Pass::kWgrad ? probed.wgrad_formats : probed.formats;
  const Combination format = widest(formats, spec_);
  spec_.in = format.in;
  spec_.out = format.out;
}

CaseSpec ReductionBench::shaped(Index lines, Index length) const {
  const Manifest& probed = probing_.report.probed;
  CaseSpec spec = spec_;
  const Index rows_multiple = std::max<Index>(probed.row_multiple, 1);
  Index rows = align_up(lines, rows_multiple);
  switch (spec.pass) {
    case Pass::kFwd:
      spec.k = align_up(length, probed.k_multiple);
      spec.n = align_up(kColumns, probed.n_multiple);
      break;
    case Pass::kDgrad:
      spec.n = align_up(length, probed.n_multiple);
      spec.k = align_up(kColumns, probed.k_multiple);
      break;
    case Pass::kWgrad:
      rows = align_up(length, rows_multiple);
      spec.k = align_up(lines, probed.k_multiple);
      spec.n = align_up(kColumns, probed.n_multiple);
      break;
  }
  spec.rows = {rows, rows_multiple};
  if (spec.cap > 0) { spec.cap = rows; }
  spec.acc = 0;
  return spec;
}

std::optional<std::vector<double>> ReductionBench::run(const std::vector<Line>& lines, Index length,
                                                       double factor) {
  const CaseSpec spec = shaped(static_cast<Index>(lines.size()), length);
  if (!check_case(spec)) { return std::nullopt; }
  Problem problem = make_problem(spec);
  const double unit = std::ldexp(1.0, -shift_of(spec.in));
  fill(left_operand(problem), 0);
  fill(right_operand(problem), factor / unit);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (const Term& term : lines[line]) {
      store_bits(spec.in, left_element(problem, static_cast<Index>(line), term.place),
                 encode(spec.in, term.value * unit));
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
