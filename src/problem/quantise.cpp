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

}  // namespace

std::uint32_t quantising_scale(ScaleFormat format, Format codes, double amax) {
  if (amax == 0) { return encode(format, 1); }
  const FormatTraits& row = traits(codes);
  if (format == ScaleFormat::kE8m0) {
    const int exponent = std::ilogb(amax) - std::ilogb(row.max_finite);
    return encode(format, power_of_two(std::clamp(exponent, -127, 127)));
  }
  constexpr double kLeastE4m3 = 0x1p-9, kLargestE4m3 = 448;
  const double scale = amax / row.max_finite;
  const bool narrow = format == ScaleFormat::kE4m3;
  return encode(format, narrow ? std::clamp(scale, kLeastE4m3, kLargestE4m3) : scale);
}

std::uint32_t quantised_code(Format format, double number, double scale) {
  const double largest = traits(format).max_finite;
  return encode(format, std::clamp(number / scale, -largest, largest));
}

bool is_quantised(const CaseSpec& spec, Role role) {
  return spec.fill == Fill::kNormal && scale_block(spec, role).has_value();
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
  for (Index row = 0; row < scales.rows; ++row) {
    for (Index col = 0; col < scales.cols; ++col) {
      const double most = amax[static_cast<std::size_t>(row * scales.cols + col)];
      scales.store(row, col, quantising_scale(scales.format, codes.format, most));
    }
  }
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    for_each_scaled(problem, role, expert,
                    [&](Index row, Index col, Index scale_row, Index scale_col) {
                      const double scale = decode(scales.format, scales.load(scale_row, scale_col));
                      store_bits(codes.format, codes.element(row, col),
                                 quantised_code(codes.format, value_at(real, row, col), scale));
                    });
  }
}

}  // namespace assay
