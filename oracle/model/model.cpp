#include "oracle/model/model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "oracle/element_lines.h"
#include "oracle/float_environment.h"
#include "oracle/model/model_lanes.h"
#include "oracle/number_line.h"
#include "oracle/operand.h"
#include "src/core/parallel.h"
#include "src/core/require.h"

namespace assay::oracle {
namespace {

constexpr Index kRowBlock = 64;
constexpr Index kStripCols = 256;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How one operand element enters the model.
struct Element {
  double value = 0;
  double power = 0;  // 2^exponent for the alignment
};

// 2^floor(log2 |value|). Requires: a normal number.
double power_of(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0x7FF0000000000000u);
}

// Reads lines of an operand: codes, times their scales where those are multiplied into operands.
class ElementReader {
 public:
  ElementReader(const Matrix& matrix, const Arithmetic& arithmetic)
      : matrix_(matrix),
        conversion_(arithmetic.conversion),
        scaled_(matrix.scales.present() && arithmetic.scaling == Scaling::kOperands) {
    const Format format = converted_format(matrix.format, arithmetic.conversion);
    smallest_normal_ = std::ldexp(1.0, shape(format).min_exponent);
    flushed_below_ = arithmetic.subnormals.input(format) ? smallest_normal_ : 0;
  }

  // Calls put(col, element) for a row.
  template <class Put>
  void read(Index row, const Put& put) const {
    for (Index first = 0; first < matrix_.cols; first += kElementChunk) {
      const Index count = std::min(kElementChunk, matrix_.cols - first);
      float codes[kElementChunk];
      read_elements({matrix_.format, matrix_.address(row, first), matrix_.col_stride, count}, codes,
                    conversion_);
      for (Index i = 0; i < count; ++i) { put(first + i, element(codes[i], row, first + i)); }
    }
  }

 private:
  Element element(double code, Index row, Index col) const {
    Element element{.value = code};
    const double magnitude = std::abs(code);
    if (magnitude < flushed_below_) { element.value = std::copysign(0.0, code); }
    if (magnitude == kInfinity) {
      // NaN reads as an infinity.
      element.value = operand_value(matrix_.format, matrix_.bits(row, col), conversion_);
    } else if (element.value != 0) {
      element.power = std::max(power_of(magnitude), smallest_normal_);
    }
    if (!scaled_) { return element; }
    element.value = static_cast<float>(element.value * matrix_.scales.value(row, col));
    const bool counts = element.value != 0 && std::isfinite(element.value);
    element.power = counts ? power_of(element.value) : 0;
    return element;
  }

  Matrix matrix_;
  Conversion conversion_;
  bool scaled_;
  double smallest_normal_ = 0, flushed_below_ = 0;
};

// Some lines of an operand, decoded for both kinds of arithmetic.
struct Lines {
  std::vector<double> values, powers;
  std::vector<float> values32;

  void resize(Index count) {
    values.assign(count, 0);
    powers.assign(count, 0);
    values32.assign(count, 0);
  }
  void put(Index at, const Element& element) {
    values[at] = element.value;
    powers[at] = element.power;
    values32[at] = static_cast<float>(element.value);
  }
};

class Predictor {
 public:
  Predictor(const Product& product, const Arithmetic& arithmetic, void* out)
      : product_(product),
        arithmetic_(arithmetic),
        out_(static_cast<char*>(out)),
        scaling_(product.is_scaled() ? arithmetic.scaling : Scaling::kUndeclared),
        a_(product.a, arithmetic),
        b_(product.b.transposed(), arithmetic) {}

  // Rows [first_row, +rows) and columns [first_col, +cols).
  void predict(Index first_row, Index rows, Index first_col, Index cols) {
    const Index k = product_.a.cols;
    rows_.resize(rows * k);
    for (Index row = 0; row < rows; ++row) {
      a_.read(first_row + row, [&](Index i, const Element& x) { rows_.put(row * k + i, x); });
    }
    for (Index col = first_col; col < first_col + cols; col += kLanes) {
      const Index lanes = std::min(kLanes, first_col + cols - col);
      panel_.resize(k * kLanes);
      for (Index lane = 0; lane < lanes; ++lane) {
        b_.read(col + lane, [&](Index i, const Element& x) { panel_.put(i * kLanes + lane, x); });
      }
      for (Index row = 0; row < rows; ++row) { run_row(row * k, first_row + row, col, lanes); }
    }
  }

 private:
  void run_row(Index start, Index row, Index col, Index lanes) {
    row_ = row;
    col_ = col;
    double accumulators[kLanes] = {};
    std::uint32_t bits[kLanes] = {};
    const Format out = product_.got.format;
    const bool bias_last = product_.c_is_bias && arithmetic_.bias_added == BiasAdded::kLast;
    const auto addend = [&](Index lane) {
      return to_double(product_.c.format, product_.c.bits(row, col + lane));
    };
    for (Index lane = 0; lane < lanes && product_.c.data != nullptr && !bias_last; ++lane) {
      accumulators[lane] = addend(lane);
    }
    for (int call = 0; call < std::max(product_.times, 1); ++call) {
      if (product_.a.cols > 0 && product_.times > 0) { run_call(start, lanes, accumulators); }
      for (Index lane = 0; lane < lanes; ++lane) {
        if (bias_last) {
          const auto sum = static_cast<float>(accumulators[lane]);
          accumulators[lane] = flushed(sum + static_cast<float>(flushed_c(addend(lane))));
        }
        bits[lane] = output_bits(accumulators[lane]);
        accumulators[lane] = to_double(out, bits[lane]);
      }
    }
    char* target = out_ + (row * product_.b.cols + col) * shape(out).size_bytes;
    for (Index lane = 0; lane < lanes; ++lane) {
      store(out, target + lane * shape(out).size_bytes, bits[lane]);
    }
  }

  std::uint32_t output_bits(double accumulator) const {
    const Format out = product_.got.format;
    if (product_.out_scale) {
      accumulator = flushed(static_cast<float>(accumulator) * *product_.out_scale);
    }
    if (arithmetic_.saturates && !std::isnan(accumulator)) {
      const double largest = to_double(out, shape(out).max_finite);
      accumulator = std::clamp(accumulator, -largest, largest);
    }
    const std::uint32_t bits = round_nearest(out, accumulator);
    const std::uint32_t sign = bits & shape(out).sign_bit();
    const bool subnormal = (bits ^ sign) >> shape(out).fraction_bits() == 0;
    const bool computed = product_.a.cols > 0;  // else C as it was
    return computed && subnormal && arithmetic_.subnormals.output(out) ? sign : bits;
  }

  void run_call(Index start, Index lanes, double* accumulators) {
    if (scales_each_sum(scaling_)) { return run_scaled_sums(start, lanes, accumulators); }
    if (scaling_ == Scaling::kEnd) { return run_scaled_end(start, lanes, accumulators); }
    run_chains(start, lanes, accumulators);
  }

  // Without scales.
  void run_chains(Index start, Index lanes, double* accumulators) const {
    const Index k = product_.a.cols;
    if (arithmetic_.kind == Arithmetic::Kind::kInt32) {
      double sums[kLanes] = {};
      run_integers(rows_.values.data() + start, panel_.values.data(), k, sums);
      for (Index lane = 0; lane < lanes; ++lane) {
        const double c = flushed_c(accumulators[lane]);
        accumulators[lane] = static_cast<float>(c) + static_cast<float>(sums[lane]);
      }
      return;
    }
    if (arithmetic_.kind == Arithmetic::Kind::kFp32) {
      float sums[kLanes];
      for (Index lane = 0; lane < kLanes; ++lane) {
        sums[lane] = static_cast<float>(flushed_c(accumulators[lane]));
      }
      run_fp32({rows_.values32.data() + start, panel_.values32.data(), k},
               {arithmetic_.fused, arithmetic_.subnormals.sums()}, sums);
      std::copy_n(sums, kLanes, accumulators);
      return;
    }
    for (Index lane = 0; lane < kLanes; ++lane) {
      accumulators[lane] = flushed_c(accumulators[lane]);
    }
    if (arithmetic_.promotion_interval == 0) { return run_chain(start, 0, k, lanes, accumulators); }
    for (Index first = 0; first < k; first += arithmetic_.promotion_interval) {
      double sums[kLanes] = {};
      const Index count = std::min<Index>(arithmetic_.promotion_interval, k - first);
      run_chain(start, first, count, lanes, sums);
      for (Index lane = 0; lane < lanes; ++lane) {
        const float added = static_cast<float>(accumulators[lane]) + static_cast<float>(sums[lane]);
        accumulators[lane] = flushed(added);
      }
    }
  }

  // The whole sum of codes, multiplied and added in fp32.
  void run_scaled_end(Index start, Index lanes, double* accumulators) const {
    double sums[kLanes] = {};
    run_chains(start, lanes, sums);
    const auto a = static_cast<float>(product_.a.scales.value(row_, 0));
    for (Index lane = 0; lane < lanes; ++lane) {
      const auto b = static_cast<float>(product_.b.scales.value(0, col_ + lane));
      const double scaled = flushed(flushed(static_cast<float>(sums[lane]) * a) * b);
      const double c = flushed_c(accumulators[lane]);
      accumulators[lane] = flushed(static_cast<float>(c) + static_cast<float>(scaled));
    }
  }

  // Sums of codes between the borders of scales, each multiplied and added in fp32.
  void run_scaled_sums(Index start, Index lanes, double* accumulators) const {
    const Index k = product_.a.cols;
    const Index interval = promoted_interval(product_, arithmetic_);
    const ScaleGrid &of_a = product_.a.scales, &of_b = product_.b.scales;
    const bool of_tensors = of_a.tensor_scale || of_b.tensor_scale;
    double totals[kLanes] = {};
    for (Index lane = 0; lane < lanes; ++lane) {
      accumulators[lane] = flushed_c(accumulators[lane]);
      if (!of_tensors) { totals[lane] = accumulators[lane]; }
    }
    for (Index first = 0; first < k; first += interval) {
      double sums[kLanes] = {};
      sum_codes(start, first, std::min(interval, k - first), lanes, sums);
      const auto a = static_cast<float>(of_a.block_value(row_, first));
      for (Index lane = 0; lane < lanes; ++lane) {
        const auto b = static_cast<float>(of_b.block_value(first, col_ + lane));
        totals[lane] = add_scaled(sums[lane], a, b, totals[lane]);
      }
    }
    const auto a = static_cast<float>(of_a.tensor_value());
    const auto b = static_cast<float>(of_b.tensor_value());
    for (Index lane = 0; lane < lanes; ++lane) {
      accumulators[lane] =
          of_tensors ? add_scaled(totals[lane], a, b, accumulators[lane]) : totals[lane];
    }
  }

  double add_scaled(double sum, float a, float b, double total) const {
    const auto sum32 = static_cast<float>(sum), total32 = static_cast<float>(total);
    if (scaling_ == Scaling::kSums) { return flushed(std::fma(sum32, a * b, total32)); }
    return flushed(std::fma(static_cast<float>(flushed(sum32 * a)), b, total32));
  }

  void sum_codes(Index start, Index first, Index count, Index lanes, double* sums) const {
    if (arithmetic_.kind == Arithmetic::Kind::kInt32) {
      return run_integers(rows_.values.data() + start + first,
                          panel_.values.data() + first * kLanes, count, sums);
    }
    if (arithmetic_.kind != Arithmetic::Kind::kFp32) {
      return run_chain(start, first, count, lanes, sums);
    }
    float chain[kLanes] = {};
    run_fp32(
        {rows_.values32.data() + start + first, panel_.values32.data() + first * kLanes, count},
        {arithmetic_.fused, arithmetic_.subnormals.sums()}, chain);
    std::copy_n(chain, kLanes, sums);
  }

  // The steps of `count` products from `first` on, without promotion between them.
  void run_chain(Index start, Index first, Index count, Index lanes, double* accumulators) const {
    double initial[kLanes];
    std::copy_n(accumulators, kLanes, initial);
    bool beyond[kLanes];
    run_steps(step_operands(start, first, count), step_parameters(), accumulators, beyond);
    for (Index lane = 0; lane < lanes; ++lane) {
      if (beyond[lane]) {
        accumulators[lane] = run_special({start, first, count}, lane, initial[lane]);
      }
    }
  }

  // C is read as an operand before it is added to.
  double flushed_c(double c) const {
    const bool tiny = std::abs(c) < 0x1p-126;
    const bool flushes =
        arithmetic_.subnormals.sums() || arithmetic_.subnormals.input(Format::kFp32);
    return flushes && tiny ? std::copysign(0.0, c) : c;
  }
  double flushed(double accumulator) const {
    const bool tiny = std::abs(accumulator) < 0x1p-126;
    return arithmetic_.subnormals.sums() && tiny ? std::copysign(0.0, accumulator) : accumulator;
  }

  struct Chain {
    Index start = 0, first = 0, count = 0;
  };
  // One lane step by step, where something is not finite.
  double run_special(const Chain& chain, Index wanted, double accumulator) const {
    const Index end = chain.first + chain.count, length = arithmetic_.products_per_step;
    std::vector<double> column(length);
    for (Index first = chain.first; first < end; first += length) {
      const Index count = std::min(length, end - first);
      const double* row = rows_.values.data() + chain.start + first;
      bool finite = std::isfinite(accumulator);
      for (Index i = 0; i < count; ++i) {
        column[i] = panel_.values[(first + i) * kLanes + wanted];
        finite = finite && std::isfinite(row[i]) && std::isfinite(column[i]);
      }
      if (!finite) {
        accumulator = sum_special(row, column.data(), count, accumulator);
        continue;
      }
      double lanes[kLanes];
      std::fill_n(lanes, kLanes, accumulator);
      bool beyond[kLanes];
      run_steps(step_operands(chain.start, first, count), step_parameters(), lanes, beyond);
      accumulator = beyond[wanted] ? std::copysign(kInfinity, lanes[wanted]) : lanes[wanted];
    }
    return accumulator;
  }

  StepOperands step_operands(Index start, Index first, Index count) const {
    return {rows_.values.data() + start + first, rows_.powers.data() + start + first,
            panel_.values.data() + first * kLanes, panel_.powers.data() + first * kLanes, count};
  }
  StepParameters step_parameters() const {
    return {arithmetic_.products_per_step, arithmetic_.fraction_bits, arithmetic_.out_bits,
            arithmetic_.subnormals.sums()};
  }

  const Product& product_;
  const Arithmetic& arithmetic_;
  char* out_;
  Scaling scaling_;          // undeclared where there are no scales
  ElementReader a_, b_;      // rows of a, columns of b
  Index row_ = 0, col_ = 0;  // of the outputs at hand
  Lines rows_, panel_;
};

void require_predictable(const Arithmetic& arithmetic, const Product& product) {
  ASSAY_REQUIRE(is_predictable(arithmetic, product), arithmetic.splits);
  if (arithmetic.kind != Arithmetic::Kind::kStep) { return; }
  // The exact sum of a step has to fit the 53 bits of a double: each term is below 2^(F + 2).
  const auto terms = static_cast<double>(arithmetic.products_per_step + 1);
  ASSAY_REQUIRE(arithmetic.products_per_step >= 1 && arithmetic.fraction_bits >= 0 &&
                    std::ldexp(terms, arithmetic.fraction_bits + 2) <= 0x1p53,
                arithmetic.products_per_step, arithmetic.fraction_bits);
  ASSAY_REQUIRE(arithmetic.promotion_interval >= 0, arithmetic.promotion_interval);
  ASSAY_REQUIRE(arithmetic.out_bits >= 0 && arithmetic.out_bits <= 23, arithmetic.out_bits);
}

}  // namespace

void predict(const Product& product, const Arithmetic& arithmetic, void* out, int threads) {
  require_consistent(product);
  require_predictable(arithmetic, product);
  const DefaultFloatEnvironment environment;
  const Index rows = product.a.rows, cols = product.b.cols;
  const Index row_blocks = (rows + kRowBlock - 1) / kRowBlock;
  const Index strips = (cols + kStripCols - 1) / kStripCols;
  parallel_for(row_blocks * strips, worthwhile_threads(rows * cols * product.a.cols, threads),
               [&](int, Index item) {
                 const Index row = item / strips * kRowBlock, col = item % strips * kStripCols;
                 Predictor(product, arithmetic, out)
                     .predict(row, std::min(kRowBlock, rows - row), col,
                              std::min(kStripCols, cols - col));
               });
}

}  // namespace assay::oracle
