#include "src/diagnosis/hypotheses/fits.h"

#include <algorithm>
#include <cmath>

#include "src/diagnosis/hypotheses/operands.h"
#include "src/harness/memory/operand_plan.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

// The smallest block that a repeated part of a reduction, or a tile, is looked for in.
constexpr Index kSmallestBlock = 8, kLargestPadding = 128;

const std::vector<Index>& counts(const Evidence& evidence) { return evidence.problem.spec.rows; }

Index experts_with_rows(const Evidence& evidence) {
  return std::ranges::count_if(counts(evidence), [](Index rows) { return rows > 0; });
}

Index longest_reduction(const Evidence& evidence) {
  Index longest = 0;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    if (evidence.product(expert).got.rows > 0 && evidence.product(expert).got.cols > 0) {
      longest = std::max(longest, reduction(evidence, expert));
    }
  }
  return longest;
}

bool is_special(oracle::Format format, std::uint32_t bits) {
  return !std::isfinite(oracle::to_double(format, bits));
}

template <class Chosen>
bool any(const oracle::Matrix& matrix, const Chosen& chosen) {
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      if (chosen(matrix.format, matrix.bits(row, col))) { return true; }
    }
  }
  return false;
}

template <class Chosen>
bool any_operand(const Evidence& evidence, const Chosen& chosen) {
  return std::ranges::any_of(evidence.products, [&](const oracle::Product& product) {
    return any(product.a, chosen) || any(product.b, chosen);
  });
}

template <class Chosen>
bool any_result(const Evidence& evidence, const Chosen& chosen) {
  const oracle::Format format = to_oracle(evidence.problem.output().format);
  return std::ranges::any_of(evidence.exact_bits,
                             [&](std::uint32_t bits) { return chosen(format, bits); });
}

bool any_wrong(const Evidence& evidence, const std::vector<std::uint8_t>& flags) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] && evidence.wrong[i]) { return true; }
  }
  return false;
}

}  // namespace

bool is_subnormal(oracle::Format format, std::uint32_t bits) {
  const double value = oracle::to_double(format, bits);
  return value != 0 && std::fabs(value) < std::ldexp(1.0, oracle::shape(format).min_exponent);
}

bool has_elements(const Evidence& evidence) { return evidence.elements() > 0; }
bool has_products(const Evidence& evidence) { return longest_reduction(evidence) > 0; }
bool has_sums(const Evidence& evidence) { return longest_reduction(evidence) > 1; }
bool has_long_reduction(const Evidence& evidence) {
  return longest_reduction(evidence) > kSmallestBlock;
}
bool has_sums_of_integers(const Evidence& evidence) {
  return evidence.problem.spec.in.integers() && has_sums(evidence);
}
bool has_rows_to_shift(const Evidence& evidence) {
  return total_rows(evidence.problem.spec) > 0 &&
         lay_out_rows(evidence.problem.spec).physical_rows > 1;
}
bool has_experts(const Evidence& evidence) {
  return evidence.experts() > 1 && experts_with_rows(evidence) > 0;
}
bool has_rows_past_expert_0(const Evidence& evidence) {
  return experts_with_rows(evidence) > (counts(evidence)[0] > 0 ? 1 : 0);
}
bool has_neighbours_with_rows(const Evidence& evidence) { return experts_with_rows(evidence) > 1; }

bool has_scattered_experts(const Evidence& evidence) {
  return evidence.problem.spec.pointers != Pointers::kInOrder && evidence.experts() > 1;
}

bool has_weights_of_two_axes(const Evidence& evidence) {
  return evidence.problem.spec.k > 1 && evidence.problem.spec.n > 1;
}

bool has_gaps(const Evidence& evidence) {
  const CaseSpec& spec = evidence.problem.spec;
  return spec.wpitch > 0 || std::ranges::any_of(kAllRoles, [&](Role role) {
           return row_pitch(spec, role) > storage_cols(spec, role);
         });
}

bool has_width_to_pad(const Evidence& evidence) {
  const CaseSpec& spec = evidence.problem.spec;
  return std::ranges::any_of(kAllRoles, [&](Role role) {
    return storage_cols(spec, role) % kLargestPadding != 0 ||
           row_pitch(spec, role) != storage_cols(spec, role);
  });
}

bool has_starts_to_round(const Evidence& evidence) {
  const RowLayout& layout = evidence.problem.layout;
  for (std::size_t expert = 0; expert < layout.starts.size(); ++expert) {
    if (layout.counts[expert] > 0 && layout.starts[expert] > 0) { return true; }
  }
  return false;
}

bool has_placed_scales(const Evidence& evidence) {
  const CaseSpec& spec = evidence.problem.spec;
  const bool placed = scale_pitch_of(spec) > 0 || scale_layout_of(spec) != ScaleLayout::kStrided ||
                      scale_starts_of(spec) != ScaleStarts::kCompact ||
                      spec.pointers != Pointers::kInOrder;
  return spec.in.scaled() && placed && has_products(evidence);
}
bool has_scales(const Evidence& evidence) {
  return evidence.problem.spec.in.scaled() && has_products(evidence);
}
bool has_tensor_scales(const Evidence& evidence) {
  const PerOperand<DenseScales>& scales = evidence.problem.scales;
  const auto has = [&](Role role) { return scales[role].tensors > 0; };
  return std::ranges::any_of(kAllRoles, has) && has_products(evidence);
}

bool has_output_scale(const Evidence& evidence) {
  return evidence.problem.spec.out.scaled && has_products(evidence);
}

bool has_output_of_8_bits(const Evidence& evidence) {
  return traits(evidence.problem.spec.out).bits == 8 && has_products(evidence);
}

bool has_special_tensor_scale(const Evidence& evidence) {
  return std::ranges::any_of(kAllRoles, [&](Role role) {
    const std::vector<float>& scales = evidence.problem.scales[role].tensor_scales;
    return std::ranges::any_of(scales, [](float scale) { return !std::isfinite(scale); });
  });
}

bool has_empty_sums_of_special_scales(const Evidence& evidence) {
  return reduces_over_rows(evidence) && has_special_tensor_scale(evidence) &&
         std::ranges::count(counts(evidence), 0) > 0;
}

bool has_codes_of_8_bits(const Evidence& evidence) {
  const Inputs& in = evidence.problem.spec.in;
  return (traits(in.a.format).bits <= 8 || traits(in.b.format).bits <= 8) && has_products(evidence);
}

bool has_codes_of_two_formats(const Evidence& evidence) {
  const Inputs& in = evidence.problem.spec.in;
  return !in.alike() && traits(in.a.format).bits == traits(in.b.format).bits &&
         has_products(evidence);
}

bool accumulates(const Evidence& evidence) { return evidence.problem.spec.acc > 0; }

bool has_bias(const Evidence& evidence) {
  return evidence.problem.spec.bias.has_value() && has_products(evidence);
}

bool has_several_tiles(const Evidence& evidence) {
  return std::ranges::any_of(evidence.products, [](const oracle::Product& product) {
    return std::max(product.got.rows, product.got.cols) > kSmallestBlock;
  });
}

bool has_rows_behind_an_expert(const Evidence& evidence) {
  const RowLayout& layout = evidence.problem.layout;
  return layout.physical_rows > total_rows(evidence.problem.spec);
}

bool has_subnormal_operands(const Evidence& evidence) {
  return any_operand(evidence, is_subnormal);
}
bool has_subnormal_outputs(const Evidence& evidence) { return any_result(evidence, is_subnormal); }
bool has_convertible_operands(const Evidence& evidence) {
  const Inputs& in = evidence.problem.spec.in;
  return (in.converted() || in.scaled()) && has_products(evidence);
}
bool has_special_results(const Evidence& evidence) { return any_result(evidence, is_special); }

bool has_extreme_values(const Evidence& evidence) {
  return has_subnormal_operands(evidence) || has_subnormal_outputs(evidence) ||
         has_special_results(evidence) ||
         std::ranges::any_of(evidence.products, [](const oracle::Product& product) {
           return any(product.got, is_special);
         });
}

bool has_neighbours_with_special_values(const Evidence& evidence) {
  if (!has_neighbours_with_rows(evidence)) { return false; }
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    const oracle::Product& product = evidence.product(expert);
    if (counts(evidence)[static_cast<std::size_t>(expert)] > 0 &&
        (any(product.a, is_special) || any(product.b, is_special))) {
      return true;
    }
  }
  return false;
}

bool has_unwritten(const Evidence& evidence) { return any_wrong(evidence, evidence.unwritten); }
bool has_unsteady(const Evidence& evidence) { return any_wrong(evidence, evidence.unsteady); }
bool has_cleared_by_output(const Evidence& evidence) {
  return any_wrong(evidence, evidence.cleared_by_output);
}
bool has_cleared_by_workspace(const Evidence& evidence) {
  return any_wrong(evidence, evidence.cleared_by_workspace);
}

bool has_zeros(const Evidence& evidence) {
  return std::ranges::any_of(evidence.products, [](const oracle::Product& product) {
    return any(product.got, [](oracle::Format format, std::uint32_t bits) {
      return oracle::to_double(format, bits) == 0;
    });
  });
}

// The same poison gives the same value and another one another; or nothing finite came of finite
// operands, each time, and of no memory that the kernel is given to write.
bool has_signs_of_outside_memory(const Evidence& evidence) {
  if (has_unsteady(evidence) || has_cleared_by_output(evidence) ||
      has_cleared_by_workspace(evidence)) {
    return false;
  }
  if (any_wrong(evidence, evidence.follows_poison)) { return true; }
  return any_wrong(evidence, evidence.tainted) && !any_operand(evidence, is_special) &&
         !has_special_tensor_scale(evidence);
}

bool has_elements_beyond_31_bits(const Evidence& evidence) {
  constexpr Index kLimit = Index{1} << 31;
  const Problem& problem = evidence.problem;
  const Index rows = problem.layout.physical_rows;
  return rows * row_pitch(problem.spec, Role::kX) > kLimit ||
         rows * row_pitch(problem.spec, Role::kY) > kLimit ||
         problem.spec.experts() * expert_pitch(problem.spec) > kLimit;
}

}  // namespace assay
