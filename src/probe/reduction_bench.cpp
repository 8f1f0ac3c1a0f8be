#include "src/probe/reduction_bench.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr Index kColumns = 8;
constexpr int kEnough = 60;

// Products are 2^-shift * 2^shift, so that a format of narrow range holds large and small ones.
int shift_of(const Inputs& in) {
  const int lowest = -traits(in.a.format).min_exponent;
  return lowest < 64 ? std::min(lowest, traits(in.b.format).max_exponent) : 0;
}

// Of a factor: far from where a product of two leaves the range of fp32.
constexpr int kFarthest = 30;
int least_of(Format format) { return std::max(traits(format).min_exponent, -kFarthest); }
int span_of(Format format) {
  return std::min(traits(format).max_exponent, kFarthest) - least_of(format);
}

// Binary orders of a product of which one factor is the same everywhere, or neither is.
int range_of_rows(const Inputs& in) { return traits(in.a.format).max_exponent + shift_of(in); }
int range_of_diagonal(const Inputs& in) { return span_of(in.a.format) + span_of(in.b.format); }

// Formats of 8 bits hold too few orders in one factor to lose a unit of an fp32 sum.
bool needs_both_factors(const Inputs& in) {
  constexpr int kOrdersOfFp32 = 27;
  return range_of_rows(in) < kOrdersOfFp32;
}

void store_value(Format format, std::byte* element, double value) {
  store_bits(format, element, encode(format, value));
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

std::byte* right_element(Problem& problem, Index place, Index col) {
  const FactorRole& right = operation(problem.spec.pass).b;
  const bool weights_turned = right.role == Role::kW && problem.spec.weights == WeightsLayout::kEnk;
  const bool turned = right.transposed != weights_turned;
  return right_operand(problem).element(turned ? col : place, turned ? place : col);
}

double output_of(const Problem& problem, const Outcome& outcome, Index line, Index col) {
  const DenseOperand& output = problem.output();
  // dW_0 [k, n], or [n, k] where weights are enk.
  const bool transposed =
      output_role(problem.spec.pass) == Role::kW && problem.spec.weights == WeightsLayout::kEnk;
  const Index element = transposed ? col * output.cols + line : line * output.cols + col;
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
  return std::min(kEnough, needs_both_factors(in) ? range_of_diagonal(in) : range_of_rows(in));
}

ReductionBench::ReductionBench(Probing& probing) : probing_(probing), spec_(probing.base) {
  const Manifest& probed = probing.report.probed;
  spec_.pass = probed.passes.front();
  // Shows the most bits.
  if (probed.lists(spec_.pass, spec_.in, Format::kFp32)) { spec_.out = Format::kFp32; }
}

ReductionBench::ReductionBench(Probing& probing, const Combination& format)
    : probing_(probing), spec_(probing.base) {
  spec_.pass = probing.report.probed.passes.front();
  use(format, spec_);
}

CaseSpec ReductionBench::shaped(Index lines, Index cols, Index length) const {
  const Manifest& probed = probing_.report.probed;
  CaseSpec spec = spec_;
  const Index rows_multiple = std::max<Index>(probed.row_multiple, 1);
  const Operation& op = operation(spec.pass);
  const auto size = [&](Axis axis) {
    return axis == op.m() ? lines : axis == op.n() ? cols : length;
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

Index ReductionBench::most_lines(Index wanted, Index length) const {
  const Operation& op = operation(spec_.pass);
  for (Index lines = wanted; lines > 0; lines /= 2) {
    // A kernel's max_rows may cut them.
    const CaseSpec spec = shaped(lines, kColumns, length);
    const AxisSizes sizes = axis_sizes(spec, spec.rows.front());
    if (sizes[op.m()] >= lines && sizes[op.depth()] >= length) { return lines; }
  }
  return 0;
}

std::optional<std::vector<double>> ReductionBench::run(const std::vector<Line>& lines, Index length,
                                                       double factor) {
  constexpr std::size_t kOfADiagonal = 24;  // all but the diagonal is of no use
  const bool diagonal = needs_both_factors(spec_.in);
  const std::size_t wanted = diagonal ? std::min(kOfADiagonal, lines.size()) : lines.size();
  const auto at_once = static_cast<std::size_t>(most_lines(static_cast<Index>(wanted), length));
  if (at_once == 0) { return std::nullopt; }
  std::vector<double> sums;
  for (std::size_t first = 0; first < lines.size(); first += at_once) {
    const auto some = std::span(lines).subspan(first, std::min(at_once, lines.size() - first));
    const auto part = diagonal ? run_diagonal(some, length) : run_rows(some, length, factor);
    if (!part) { return std::nullopt; }
    sums.insert(sums.end(), part->begin(), part->end());
  }
  return sums;
}

std::optional<std::vector<double>> ReductionBench::run_rows(std::span<const Line> lines,
                                                            Index length, double factor) {
  const CaseSpec spec = shaped(std::ssize(lines), kColumns, length);
  if (!check_case(spec)) { return std::nullopt; }
  Problem problem = make_problem(spec);
  for (const Role role : kAllRoles) { fill_scales(problem.scales[role], 1); }
  const double unit = std::ldexp(1.0, -shift_of(spec.in));
  fill_all(left_operand(problem), 0);
  fill_all(right_operand(problem), factor / unit);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (const Term& term : lines[line]) {
      store_value(spec.in.a.format, left_element(problem, static_cast<Index>(line), term.place),
                  term.value * unit);
    }
  }
  const Outcome outcome = probing_.lab.run(problem);
  if (outcome.status != RunStatus::kOk) { return std::nullopt; }
  std::vector<double> sums;
  for (Index line = 0; line < std::ssize(lines); ++line) {
    sums.push_back(output_of(problem, outcome, line));
  }
  return sums;
}

std::optional<std::vector<double>> ReductionBench::run_diagonal(std::span<const Line> lines,
                                                                Index length) {
  const CaseSpec spec = shaped(std::ssize(lines), std::ssize(lines), length);
  if (!check_case(spec)) { return std::nullopt; }
  Problem problem = make_problem(spec);
  for (const Role role : kAllRoles) { fill_scales(problem.scales[role], 1); }
  fill_all(left_operand(problem), 0);
  fill_all(right_operand(problem), 0);
  const Format a = spec.in.a.format, b = spec.in.b.format;
  const int least_a = least_of(a), least_b = least_of(b);
  for (Index line = 0; line < std::ssize(lines); ++line) {
    for (const Term& term : lines[line]) {
      // A takes what orders it can, B the others.
      const int orders_of_b = std::max(0, std::ilogb(term.value) - span_of(a));
      store_value(a, left_element(problem, line, term.place),
                  std::ldexp(term.value, least_a - orders_of_b));
      store_value(b, right_element(problem, term.place, line),
                  std::ldexp(1.0, least_b + orders_of_b));
    }
  }
  const Outcome outcome = probing_.lab.run(problem);
  if (outcome.status != RunStatus::kOk) { return std::nullopt; }
  std::vector<double> sums;
  for (Index line = 0; line < std::ssize(lines); ++line) {
    sums.push_back(std::ldexp(output_of(problem, outcome, line, line), -least_a - least_b));
  }
  return sums;
}

}  // namespace assay
