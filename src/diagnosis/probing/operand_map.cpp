#include "src/diagnosis/probing/operand_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "properties/support/case_run.h"
#include "src/harness/judge/judge_case.h"
#include "src/harness/memory/case_memory.h"
#include "src/harness/memory/poison.h"

namespace assay {
namespace {

constexpr Index kMostLines = Index{1} << 16;
constexpr Index kMostExpertsAlone = 8;

void set(const oracle::Matrix& matrix, Index row, Index col, double value) {
  // The matrix was made of a problem that is ours to change.
  char* const address = const_cast<char*>(matrix.address(row, col));
  oracle::store(matrix.format, address, oracle::round_nearest(matrix.format, value));
}

void clear(const oracle::Matrix& matrix) {
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) { set(matrix, row, col, 0); }
  }
}

// Digits of a line's number, each a whole number that the format holds, then one that depends on
// all of it: what is added up of several lines is then no line's code.
class Code {
 public:
  Code(Index lines, Format in, Format out) {
    const int bits = std::min(traits(in).significand_bits, traits(out).significand_bits);
    base_ = (Index{1} << std::min(bits, 8)) - 1;
    for (Index most = 1; most < lines; most *= base_) { ++digits_; }
  }
  Index runs() const { return digits_ + 1; }
  double of(Index number, Index run) const {
    return static_cast<double>(1 + (run == digits_ ? check(number) : digit(number, run)));
  }
  // Nothing where the values are not those of one number below `lines`.
  std::optional<Index> number(const std::vector<double>& values, Index lines) const {
    Index number = 0, weight = 1;
    for (Index run = 0; run < digits_; ++run, weight *= base_) {
      const double value = values[static_cast<std::size_t>(run)];
      if (!(value >= 1 && value <= static_cast<double>(base_)) || value != std::floor(value)) {
        return std::nullopt;
      }
      number += (static_cast<Index>(value) - 1) * weight;
    }
    if (number >= lines || values.back() != of(number, digits_)) { return std::nullopt; }
    return number;
  }

 private:
  Index digit(Index number, Index run) const {
    for (Index i = 0; i < run; ++i) { number /= base_; }
    return number % base_;
  }
  Index check(Index number) const { return (number * 11 + number / 3 + 5) % base_; }

  Index base_ = 1, digits_ = 1;
};

struct Line {
  Index expert = 0, line = 0;
};

// One probing of a case: problems made of it, and the outputs of their runs.
class Probing {
 public:
  Probing(Session& kernel, const CaseSpec& spec)
      : kernel_(kernel), base_(problem_for(spec, kernel.manifest())) {
    map_.problem = base_;
    map_.first_element = {0};
    for (const oracle::Product& product : products_of(base_, base_.output().bits.data())) {
      map_.rows.push_back(product.got.rows);
      map_.cols.push_back(product.got.cols);
      map_.first_element.push_back(map_.first_element.back() + product.got.rows * product.got.cols);
    }
    map_.leaks.resize(map_.rows.size());
  }

  std::optional<OperandMap> map() {
    const bool done = trace_lines(oracle::Factor::kA, Step::kFirst, map_.row_of_a) &&
                      trace_lines(oracle::Factor::kB, Step::kFirst, map_.col_of_b) &&
                      trace_lines(oracle::Factor::kA, Step::kLast, map_.last_row_of_a) &&
                      trace_lines(oracle::Factor::kB, Step::kLast, map_.last_col_of_b) &&
                      trace_old_values() && find_leaks();
    return done ? std::optional(std::move(map_)) : std::nullopt;
  }

 private:
  enum class Step : std::uint8_t { kFirst, kLast };
  using Fill = std::function<void(const std::vector<oracle::Product>&)>;

  // The output as numbers; empty where the run did not end well.
  std::vector<double> run(const Fill& fill) {
    Problem problem = base_;
    const std::vector<oracle::Product> products =
        products_of(problem, problem.output().bits.data());
    for (const oracle::Product& product : products) {
      clear(product.a);
      clear(product.b);
      if (problem.spec.acc > 0) { clear(product.got); }
    }
    fill(products);
    ++map_.runs;
    const Outcome outcome = kernel_.run(problem, {});
    if (outcome.status != RunStatus::kOk) { return {}; }
    std::vector<double> values;
    const std::uint32_t poison = unwritten_bits(problem.output().format, 0);
    unwritten_.clear();
    for (const oracle::Product& product : products_of(problem, outcome.output.data())) {
      for (Index row = 0; row < product.got.rows; ++row) {
        for (Index col = 0; col < product.got.cols; ++col) {
          const std::uint32_t bits = product.got.bits(row, col);
          values.push_back(oracle::to_double(product.got.format, bits));
          unwritten_.push_back(problem.spec.acc == 0 && bits == poison);
        }
      }
    }
    return values;
  }

  // One line of ones through the reduction, so that each output is one product.
  static void open_line(const oracle::Product& product, oracle::Factor other, Step at) {
    if (product.a.cols == 0) { return; }
    const Index step = at == Step::kFirst ? 0 : product.a.cols - 1;
    if (other == oracle::Factor::kB) {
      for (Index col = 0; col < product.b.cols; ++col) { set(product.b, step, col, 1); }
    } else {
      for (Index row = 0; row < product.a.rows; ++row) { set(product.a, row, step, 1); }
    }
  }

  bool trace_lines(oracle::Factor factor, Step at, std::vector<Source>& sources) {
    const bool of_a = factor == oracle::Factor::kA;
    std::vector<Line> lines;
    for (Index expert = 0; expert < std::ssize(map_.rows); ++expert) {
      const Index count = (of_a ? map_.rows : map_.cols)[static_cast<std::size_t>(expert)];
      for (Index line = 0; line < count; ++line) { lines.push_back({expert, line}); }
    }
    const auto write = [&](const std::vector<oracle::Product>& products, const Code& code,
                           Index probe) {
      Index number = 0;
      for (const oracle::Product& product : products) {
        open_line(product, of_a ? oracle::Factor::kB : oracle::Factor::kA, at);
        const Index count = of_a ? product.a.rows : product.b.cols;
        for (Index line = 0; line < count; ++line, ++number) {
          for (Index step = 0; step < product.a.cols; ++step) {
            const double value = code.of(number, probe);
            of_a ? set(product.a, line, step, value) : set(product.b, step, line, value);
          }
        }
      }
    };
    const Inputs& in = base_.spec.in;
    return trace(lines, (of_a ? in.a : in.b).format, std::max(1, base_.spec.acc), write, sources);
  }

  bool trace_old_values() {
    if (base_.spec.acc == 0) { return true; }
    std::vector<Line> lines;
    for (Index expert = 0; expert < std::ssize(map_.rows); ++expert) {
      const auto at = static_cast<std::size_t>(expert);
      for (Index i = 0; i < map_.rows[at] * map_.cols[at]; ++i) { lines.push_back({expert, i}); }
    }
    const auto write = [&](const std::vector<oracle::Product>& products, const Code& code,
                           Index probe) {
      Index number = 0;
      for (const oracle::Product& product : products) {
        for (Index i = 0; i < product.got.rows * product.got.cols; ++i, ++number) {
          set(product.got, i / product.got.cols, i % product.got.cols, code.of(number, probe));
        }
      }
    };
    return trace(lines, base_.output().format, 1, write, map_.old_value);
  }

  template <class Write>
  bool trace(const std::vector<Line>& lines, Format format, int times, const Write& write,
             std::vector<Source>& sources) {
    const auto count = std::ssize(lines);
    if (count > kMostLines) { return false; }
    const Code code(count, format, base_.output().format);
    std::vector<std::vector<double>> values(static_cast<std::size_t>(map_.first_element.back()));
    std::vector<std::uint8_t> unwritten(values.size(), 1);
    for (Index probe = 0; probe < code.runs(); ++probe) {
      const std::vector<double> output =
          run([&](const auto& products) { write(products, code, probe); });
      if (output.size() != values.size()) { return false; }
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i].push_back(output[i] / times);
        unwritten[i] = unwritten[i] && unwritten_[i];
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool zero = std::ranges::all_of(values[i], [](double value) { return value == 0; });
      Source source{.kind = unwritten[i] ? Source::Kind::kUnwritten
                            : zero       ? Source::Kind::kNothing
                                         : Source::Kind::kMixed};
      if (const auto number = code.number(values[i], count)) {
        const Line& line = lines[static_cast<std::size_t>(*number)];
        source = {Source::Kind::kLine, line.expert, line.line};
      }
      sources.push_back(source);
    }
    return true;
  }

  // Each expert alone with something to multiply: what stands in another's output came from it.
  bool find_leaks() {
    Index alone = 0;
    for (Index expert = 0; expert < std::ssize(map_.rows) && alone < kMostExpertsAlone; ++expert) {
      const std::vector<double> output = run([&](const auto& products) {
        const oracle::Product& product = products[static_cast<std::size_t>(expert)];
        open_line(product, oracle::Factor::kA, Step::kFirst);
        open_line(product, oracle::Factor::kB, Step::kFirst);
      });
      ++alone;
      if (std::ssize(output) != map_.first_element.back()) { return false; }
      for (Index other = 0; other < std::ssize(map_.rows); ++other) {
        if (other == expert || !holds_something(output, other)) { continue; }
        map_.leaks[static_cast<std::size_t>(other)].push_back(expert);
      }
    }
    return true;
  }

  bool holds_something(const std::vector<double>& output, Index expert) const {
    // One product, of ones: anything else was not added up.
    const int times = std::max(1, base_.spec.acc);
    const auto at = static_cast<std::size_t>(expert);
    for (Index i = map_.first_element[at]; i < map_.first_element[at + 1]; ++i) {
      const auto element = static_cast<std::size_t>(i);
      if (output[element] == times && !unwritten_[element]) { return true; }
    }
    return false;
  }

  Session& kernel_;
  Problem base_;
  OperandMap map_;
  std::vector<std::uint8_t> unwritten_;  // of the last run
};

}  // namespace

std::optional<OperandMap> map_operands(Session& kernel, const CaseSpec& spec) {
  if (multiply_adds(spec) > kMostProbedProducts) { return std::nullopt; }
  const auto share = take_memory(spec, kernel.manifest(), {.outputs = 8});
  if (!share) { return std::nullopt; }
  return Probing(kernel, spec).map();
}

}  // namespace assay
