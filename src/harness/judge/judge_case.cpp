#include "src/harness/judge/judge_case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "src/core/require.h"
#include "src/harness/judge/dequantised.h"

namespace assay {
namespace {

// The matrix that a role holds for one expert: x_g [m, k], y_g [m, n], w_g [k, n] whatever its
// layout.
oracle::Matrix matrix_of(const Problem& problem, Role role, Index expert, const void* dense) {
  const CaseSpec& spec = problem.spec;
  const DenseOperand& operand = problem.operands[role];
  oracle::Matrix matrix{.format = to_oracle(operand.format)};
  Index first_element = 0;
  if (role == Role::kW) {
    matrix.rows = spec.k;
    matrix.cols = spec.n;
    const bool enk = spec.weights == WeightsLayout::kEnk;
    matrix.row_stride = enk ? 1 : spec.n;
    matrix.col_stride = enk ? spec.k : 1;
    first_element = expert * spec.k * spec.n;
  } else {
    matrix.rows = spec.rows[expert];
    matrix.cols = operand.cols;
    matrix.row_stride = operand.cols;
    first_element = problem.dense_starts[expert] * operand.cols;
  }
  matrix.data = static_cast<const std::byte*>(dense) + first_element * size_bytes(operand.format);
  return matrix;
}

oracle::ScaleFormat to_oracle(ScaleFormat format) {
  for (const oracle::ScaleFormat theirs : oracle::kAllScaleFormats) {
    if (name(theirs) == traits(format).name) { return theirs; }
  }
  ASSAY_REQUIRE(false, traits(format).name);
  return {};
}

// Of one expert's matrix, in its own axes.
oracle::ScaleGrid scales_of(const DenseScales& scales, const oracle::Matrix& matrix, Index expert) {
  if (!scales.present()) { return {}; }
  const auto whole = [](Index block, Index length) {
    return block == 0 ? std::max<Index>(1, length) : block;
  };
  return {.data = scales.element(scales.first[expert], 0),
          .format = to_oracle(scales.format),
          .block_rows = whole(scales.block_rows, matrix.rows),
          .block_cols = whole(scales.block_cols, matrix.cols),
          .row_stride = scales.cols,
          .col_stride = 1,
          .rows = std::max<Index>(
              1, scales.shared ? 1 : scales.first[expert + 1] - scales.first[expert]),
          .cols = scales.cols,
          .tensor_scale =
              scales.tensors > 0 ? std::optional(scales.tensor_scale(expert)) : std::nullopt};
}

oracle::Matrix input_of(const Problem& problem, Role role, Index expert) {
  oracle::Matrix matrix = matrix_of(problem, role, expert, problem.operands[role].bits.data());
  matrix.scales = scales_of(problem.scales[role], matrix, expert);
  return matrix;
}

oracle::Matrix factor_of(const Problem& problem, oracle::Factor factor, Index expert) {
  const FactorRole place = role_of(problem.spec.pass, factor);
  const oracle::Matrix matrix = input_of(problem, place.role, expert);
  return place.transposed ? matrix.transposed() : matrix;
}

// The expert's row, once for each of its rows.
oracle::Matrix bias_of(const Problem& problem, Index expert) {
  return {.data = problem.bias.element(expert, 0),
          .format = to_oracle(problem.bias.format),
          .rows = problem.spec.rows[expert],
          .cols = problem.bias.cols,
          .row_stride = 0};
}

oracle::Product product_of(const Problem& problem, Index expert, const void* output) {
  oracle::Product product;
  product.a = factor_of(problem, oracle::Factor::kA, expert);
  product.b = factor_of(problem, oracle::Factor::kB, expert);
  product.got = matrix_of(problem, output_role(problem.spec.pass), expert, output);
  if (const DenseScales& scales = problem.scales[output_role(problem.spec.pass)];
      scales.present()) {
    product.out_scale =
        static_cast<float>(decode(scales.format, scales.load(scales.first[expert], 0)));
  }
  if (problem.spec.acc > 0) {
    product.c = factor_of(problem, oracle::Factor::kC, expert);
    product.times = problem.spec.acc;
  }
  if (problem.spec.bias) {
    product.c = bias_of(problem, expert);
    product.c_is_bias = true;
  }
  return product;
}

oracle::Conversion conversion_named(const std::string& name) {
  if (name == "tf32_rz") { return oracle::Conversion::kTf32Rz; }
  if (name == "tf32_rna") { return oracle::Conversion::kTf32Rna; }
  if (name == "bf16") { return oracle::Conversion::kBf16; }
  return oracle::Conversion::kNone;
}

oracle::Scaling to_oracle(DeclaredArithmetic::Scales scales) {
  switch (scales) {
    case DeclaredArithmetic::Scales::kOperands:
      return oracle::Scaling::kOperands;
    case DeclaredArithmetic::Scales::kSums:
      return oracle::Scaling::kSums;
    case DeclaredArithmetic::Scales::kSumsOneByOne:
      return oracle::Scaling::kSumsOneByOne;
    case DeclaredArithmetic::Scales::kEnd:
      return oracle::Scaling::kEnd;
    default:
      return oracle::Scaling::kUndeclared;
  }
}

oracle::BiasAdded to_oracle(BiasAdded added) {
  if (added == BiasAdded::kUndeclared) { return oracle::BiasAdded::kUndeclared; }
  return added == BiasAdded::kFirst ? oracle::BiasAdded::kFirst : oracle::BiasAdded::kLast;
}

oracle::Arithmetic::Kind to_oracle(DeclaredArithmetic::Kind kind) {
  switch (kind) {
    case DeclaredArithmetic::Kind::kUndeclared:
    case DeclaredArithmetic::Kind::kInt32:
      break;
    case DeclaredArithmetic::Kind::kFma:
      return oracle::Arithmetic::Kind::kFp32;
    case DeclaredArithmetic::Kind::kTensorCore:
      return oracle::Arithmetic::Kind::kStep;
  }
  return oracle::Arithmetic::Kind::kUndeclared;
}

}  // namespace

oracle::Format to_oracle(Format format) {
  static const auto oracles = [] {
    std::array<oracle::Format, std::size(kAllFormats)> all{};
    for (const Format ours : kAllFormats) {
      const auto named = [&](oracle::Format theirs) { return name(theirs) == name(ours); };
      const auto* const found = std::ranges::find_if(oracle::kAllFormats, named);
      ASSAY_REQUIRE(found != std::end(oracle::kAllFormats), name(ours));
      all[static_cast<std::size_t>(ours)] = *found;
    }
    return all;
  }();
  return oracles[static_cast<std::size_t>(format)];
}

oracle::Arithmetic to_oracle(const Manifest& manifest, const CaseSpec& spec) {
  const Inputs& in = spec.in;
  const DeclaredArithmetic& declared = manifest.arithmetic;
  oracle::Arithmetic arithmetic;
  arithmetic.kind = in.integers() && declared.int32_sums ? oracle::Arithmetic::Kind::kInt32
                                                         : to_oracle(declared.kind);
  arithmetic.products_per_step = declared.products_per_step;
  arithmetic.fraction_bits = declared.fraction_bits;
  arithmetic.out_bits = declared.out_bits;
  arithmetic.fused = declared.fused;
  arithmetic.ascending = declared.ascending;
  arithmetic.promotion_interval = declared.promotion_interval;
  arithmetic.scaling = to_oracle(declared.scales);
  arithmetic.splits = declared.splits;
  arithmetic.bias_added = to_oracle(manifest.bias_added);
  if (const auto partials = format_named(declared.partials)) {
    arithmetic.partials = to_oracle(*partials);
  }
  for (const Format format : manifest.subnormals.flushed_inputs) {
    arithmetic.subnormals.inputs |= oracle::Flushing::bit(to_oracle(format));
  }
  for (const Format format : manifest.subnormals.flushed_outputs) {
    arithmetic.subnormals.outputs |= oracle::Flushing::bit(to_oracle(format));
  }
  arithmetic.saturates = manifest.saturates(spec.out);
  // Operands of narrower formats enter as they are.
  if (in.converted()) { arithmetic.conversion = conversion_named(manifest.conversion); }
  return arithmetic;
}

FactorRole role_of(Pass pass, oracle::Factor factor) {
  const Operation& op = operation(pass);
  if (factor == oracle::Factor::kA) { return op.a; }
  return factor == oracle::Factor::kB ? op.b : FactorRole{op.output};
}

std::vector<oracle::Product> products_of(const Problem& problem, const void* output) {
  std::vector<oracle::Product> products;
  products.reserve(problem.spec.rows.size());
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    products.push_back(product_of(problem, expert, output));
  }
  return products;
}

oracle::Judgement judge_output(const Problem& problem, const std::vector<std::byte>& output,
                               const Manifest& manifest, const CaseJudgeOptions& options) {
  ASSAY_REQUIRE(output.size() == problem.output().bits.size(), output.size());
  const MultipliedCase multiplied(problem, manifest.arithmetic);
  std::vector<oracle::Product> products = products_of(*multiplied, output.data());
  if (options.previous != nullptr) {
    ASSAY_REQUIRE(options.previous->size() == output.size(), options.previous->size());
    for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
      products[expert].previous =
          matrix_of(problem, output_role(problem.spec.pass), expert, options.previous->data());
    }
  }
  const oracle::Arithmetic arithmetic = to_oracle(manifest, multiplied->spec);
  const Fill fill = problem.spec.fill;
  const oracle::JudgeOptions judge{
      .exact_input = is_exact(fill),
      .skip_zeros_and_scaled = fill == Fill::kCancelling || has_special_values(fill),
      .threads = options.threads,
      .wrong_map = options.wrong_map};
  return options.exact_oracle ? oracle::judge_exact(products, arithmetic, judge)
                              : oracle::judge_fast(products, arithmetic, judge);
}

std::vector<std::byte> exact_output(const Problem& problem) {
  std::vector<std::byte> output(problem.output().bits.size());
  const Index element_bytes = size_bytes(problem.output().format);
  std::vector<std::byte> rows;
  for (const oracle::Product& product : products_of(problem, output.data())) {
    const oracle::Matrix& got = product.got;
    rows.resize(static_cast<std::size_t>(got.rows * got.cols * element_bytes));
    oracle::exact_result(product, rows.data());
    const auto first = static_cast<const std::byte*>(got.data) - output.data();
    for (Index row = 0; row < got.rows; ++row) {
      for (Index col = 0; col < got.cols; ++col) {
        const Index element = row * got.row_stride + col * got.col_stride;
        std::memcpy(output.data() + first + element * element_bytes,
                    rows.data() + (row * got.cols + col) * element_bytes, element_bytes);
      }
    }
  }
  return output;
}

std::vector<std::byte> previous_output(const Problem& problem) {
  CaseSpec spec = problem.spec;
  spec.seed = spec.seed > 0 ? spec.seed - 1 : 1;
  // Several outputs of one case are judged one after another: the last one made is kept.
  struct Made {
    CaseSpec spec;
    std::vector<std::byte> output;
  };
  thread_local std::optional<Made> last;
  if (!last || !(last->spec == spec)) { last = Made{spec, exact_output(make_problem(spec))}; }
  return last->output;
}

std::optional<EmptyGradientError> first_wrong_empty_gradient(const Problem& problem,
                                                             const std::vector<std::byte>& output,
                                                             const Subnormals& subnormals) {
  const Role gradient = output_role(problem.spec.pass);
  if (!reduces_rows(problem.spec.pass)) { return std::nullopt; }
  const Format format = problem.output().format;
  const bool may_flush_c = subnormals.input_flushed(format) || subnormals.output_flushed(format);
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    if (problem.spec.rows[expert] != 0) { continue; }
    const oracle::Matrix got = matrix_of(problem, gradient, expert, output.data());
    const oracle::Matrix c = input_of(problem, gradient, expert);
    for (Index row = 0; row < got.rows; ++row) {
      for (Index col = 0; col < got.cols; ++col) {
        const std::uint32_t bits = got.bits(row, col);
        const std::uint32_t expected = problem.spec.acc > 0 ? c.bits(row, col) : 0;
        if (bits == expected) { continue; }
        const double kept = decode(format, expected);
        const double now = decode(format, bits);
        // C + 0 is +0 for C = -0 and any NaN for a NaN: only those two may change, and only so.
        if (problem.spec.acc > 0 && expected != 0 && kept == 0 && now == 0) { continue; }
        const bool tiny = std::abs(kept) < std::ldexp(1.0, traits(format).min_exponent);
        if (problem.spec.acc > 0 && may_flush_c && tiny && now == 0) { continue; }
        if (problem.spec.acc > 0 && std::isnan(kept) && std::isnan(now)) { continue; }
        return EmptyGradientError{expert, row, col, bits, expected};
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay
