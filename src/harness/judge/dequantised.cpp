#include "src/harness/judge/dequantised.h"

#include "oracle/number_line.h"
#include "oracle/operand.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/scaled_walk.h"

namespace assay {
namespace {

DenseOperand without_scales(const Problem& problem, Role role, Format format) {
  const DenseOperand& codes = problem.operands[role];
  const DenseScales& scales = problem.scales[role];
  DenseOperand values{.format = format, .rows = codes.rows, .cols = codes.cols, .bits = {}};
  values.bits.resize(static_cast<std::size_t>(codes.rows * codes.cols * size_bytes(format)));
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    const double tensor = scales.tensor_scale(expert);
    for_each_scaled(
        problem, role, expert, [&](Index row, Index col, Index scale_row, Index scale_col) {
          const double scale = tensor * decode(scales.format, scales.load(scale_row, scale_col));
          const double code =
              decode(codes.format, load_bits(codes.format, codes.element(row, col)));
          store_bits(format, values.element(row, col),
                     encode(format, static_cast<double>(static_cast<float>(code * scale))));
        });
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
