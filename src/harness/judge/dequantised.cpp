#include "src/harness/judge/dequantised.h"

#include "oracle/number_line.h"
#include "oracle/operand.h"
#include "src/harness/judge/judge_case.h"

namespace assay {
namespace {

// Scales have a grid in the operand's own axes; w is stored by n first where weights are enk.
DenseOperand without_scales(const Problem& problem, Role role, Format format) {
  const CaseSpec& spec = problem.spec;
  const DenseOperand& codes = problem.operands[role];
  const DenseScales& scales = problem.scales[role];
  const bool turned = role == Role::kW && spec.weights == WeightsLayout::kEnk;
  DenseOperand values{.format = format, .rows = codes.rows, .cols = codes.cols, .bits = {}};
  values.bits.resize(static_cast<std::size_t>(codes.rows * codes.cols * size_bytes(format)));
  const auto block_of = [](Index element, Index block) { return block == 0 ? 0 : element / block; };
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    const Index plane = codes.rows / spec.experts();
    const Index first = role == Role::kW ? expert * plane : problem.dense_starts[expert];
    const Index end = role == Role::kW ? first + plane : problem.dense_starts[expert + 1];
    for (Index row = first; row < end; ++row) {
      for (Index col = 0; col < codes.cols; ++col) {
        const Index own_row = turned ? col : row - first, own_col = turned ? row - first : col;
        const double scale = decode(
            scales.format, scales.load(scales.first[expert] + block_of(own_row, scales.block_rows),
                                       block_of(own_col, scales.block_cols)));
        const double code = decode(codes.format, load_bits(codes.format, codes.element(row, col)));
        store_bits(format, values.element(row, col),
                   encode(format, static_cast<double>(static_cast<float>(code * scale))));
      }
    }
  }
  return values;
}

// [rows, cols] of the elements, rounded to fp32 and then to the format.
oracle::Matrix rounded(const oracle::Matrix& matrix, oracle::Format format,
                       std::vector<std::byte>& storage) {
  const Index size = oracle::shape(format).size_bytes;
  storage.resize(static_cast<std::size_t>(matrix.rows * matrix.cols * size));
  std::byte* at = storage.data();
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col, at += size) {
      const auto value =
          static_cast<float>(oracle::element_value(matrix, row, col, oracle::Conversion::kNone));
      oracle::store(format, at, oracle::round_nearest(format, value));
    }
  }
  return {storage.data(), format, matrix.rows, matrix.cols, matrix.cols, 1};
}

}  // namespace

MultipliedProduct::MultipliedProduct(const oracle::Product& product,
                                     const DeclaredArithmetic& arithmetic)
    : product_(product) {
  const std::optional<Format> format = arithmetic.operand_format();
  if (!format) { return; }
  if (product.a.scales.present()) { product_.a = rounded(product.a, to_oracle(*format), a_); }
  if (product.b.scales.present()) { product_.b = rounded(product.b, to_oracle(*format), b_); }
}

std::optional<Problem> dequantised(const Problem& problem, const DeclaredArithmetic& arithmetic) {
  const std::optional<Format> format = arithmetic.operand_format();
  if (!format || !problem.spec.in.scaled()) { return std::nullopt; }
  Problem result = problem;
  Inputs& in = result.spec.in;
  const Operation& op = operation(problem.spec.pass);
  for (const auto& [role, input] : {std::pair{op.a.role, &in.a}, std::pair{op.b.role, &in.b}}) {
    if (!problem.scales[role].present()) { continue; }
    result.operands[role] = without_scales(problem, role, *format);
    result.scales[role] = {};
    *input = {.format = *format};
  }
  return result;
}

}  // namespace assay
