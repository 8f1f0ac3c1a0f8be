#include "src/problem/quantise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/problem/power_of_two.h"
#include "src/problem/scaled_walk.h"

namespace assay {
namespace {

double value_at(const DenseOperand& operand, Index row, Index col) {
  return decode(operand.format, load_bits(operand.format, operand.element(row, col)));
}

constexpr double kLargestE4m3 = 448;

}  // namespace

float quantising_tensor_scale(Format codes, double amax) {
  return amax == 0 ? 1 : static_cast<float>(amax / (kLargestE4m3 * traits(codes).max_finite));
}

std::uint32_t quantising_scale(ScaleFormat format, Format codes, double amax) {
  if (amax == 0) { return encode(format, 1); }
  const FormatTraits& row = traits(codes);
  if (format == ScaleFormat::kE8m0) {
    const int exponent = std::ilogb(amax) - std::ilogb(row.max_finite);
    return encode(format, power_of_two(std::clamp(exponent, -127, 127)));
  }
  constexpr double kLeastE4m3 = 0x1p-9;
  const double scale = amax / row.max_finite;
  const bool narrow = format == ScaleFormat::kE4m3;
  return encode(format, narrow ? std::clamp(scale, kLeastE4m3, kLargestE4m3) : scale);
}

std::uint32_t quantised_code(Format format, double number, double scale) {
  const double largest = traits(format).max_finite;
  return encode(format, std::clamp(number / scale, -largest, largest));
}

bool is_quantised(const CaseSpec& spec, Role role) {
  return spec.fill == Fill::kNormal && input_block(spec, role).has_value();
}

void quantise(const CaseSpec& spec, Role role, const DenseOperand& real, Problem& problem) {
  DenseScales& scales = problem.scales[role];
  DenseOperand& codes = problem.operands[role];
  std::vector<double> amax(static_cast<std::size_t>(scales.rows * scales.cols));
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    for_each_scaled(
        problem, role, expert, [&](Index row, Index col, Index scale_row, Index scale_col) {
          double& most = amax[static_cast<std::size_t>(scale_row * scales.cols + scale_col)];
          most = std::max(most, std::abs(value_at(real, row, col)));
        });
  }
  // Of all of x or y, or one expert's w at a time.
  const Index tensors = scales.jagged ? 1 : spec.experts();
  for (Index tensor = 0; tensor < tensors; ++tensor) {
    const Index first = scales.jagged ? 0 : scales.first[tensor] * scales.cols;
    const Index end = scales.jagged ? std::ssize(amax) : scales.first[tensor + 1] * scales.cols;
    if (scales.tensors > 0) {
      double most = 0;
      for (Index block = first; block < end; ++block) { most = std::max(most, amax[block]); }
      scales.tensor_scales[static_cast<std::size_t>(tensor)] =
          quantising_tensor_scale(codes.format, most);
    }
    for (Index block = first; block < end; ++block) {
      const double most = amax[block] / scales.tensor_scale(tensor);
      scales.store(block / scales.cols, block % scales.cols,
                   quantising_scale(scales.format, codes.format, most));
    }
  }
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    const double tensor = scales.tensor_scale(expert);
    for_each_scaled(
        problem, role, expert, [&](Index row, Index col, Index scale_row, Index scale_col) {
          const double scale = tensor * decode(scales.format, scales.load(scale_row, scale_col));
          store_bits(codes.format, codes.element(row, col),
                     quantised_code(codes.format, value_at(real, row, col), scale));
        });
  }
}

}  // namespace assay
