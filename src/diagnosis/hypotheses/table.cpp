#include "src/diagnosis/hypotheses/table.h"

#include "src/diagnosis/hypotheses/fits.h"

namespace assay {
namespace {

using enum Hypothesis::Kind;
using enum Hypothesis::About;

// Those that say most come first; what merely describes the damage comes last.
constexpr Hypothesis kHypotheses[] = {
    {"scales_read_elsewhere", propose_other_scale_places, has_placed_scales},
    {"convention_mixup", propose_convention_mixups, has_elements},
    {"shifted_by_one_expert", propose_shifted_experts, has_experts},
    {"expert_0_weights_for_all", propose_expert_zero, has_rows_past_expert_0},
    {"neighbour_experts_weights", propose_neighbour_weights, has_experts},
    {"neighbour_experts_gradient", propose_neighbour_gradient, has_neighbours_with_rows},
    {"weight_pointers_ignored", propose_ignored_weight_pointers, has_scattered_experts},
    {"scales_left_out", propose_scales_left_out, has_scales},
    {"scale_of_another_block", propose_scale_of_another_block, has_scales},
    {"scale_misread", propose_scale_misread, has_scales, kValues},
    {"tensor_scale_misread", propose_tensor_scale_misread, has_tensor_scales, kValues},
    {"output_scale_misread", propose_output_scale_misread, has_output_scale, kValues},
    {"empty_sum_scaled", propose_scaled_empty_sums, has_empty_sums_of_special_scales, kValues},
    {"codes_misread", propose_misread_codes, has_codes_of_8_bits, kValues},
    {"codes_in_the_others_format", propose_codes_in_the_others_format, has_codes_of_two_formats,
     kValues},
    {"transposed_weights", propose_transposed_weights, has_weights_of_two_axes},
    {"pitch_ignored", propose_ignored_pitch, has_gaps},
    {"padded_width_taken_for_pitch", propose_padded_pitch, has_width_to_pad},
    {"start_rounded_down", propose_rounded_starts, has_starts_to_round},
    {"wrong_bias", propose_wrong_bias, has_bias, kValues},
    {"accumulation_lost", propose_lost_accumulation, accumulates},
    {"product_added_again", propose_repeated_product, has_products},
    {"reduction_tail_dropped", propose_dropped_tail, has_products},
    {"only_one_block_of_the_reduction", propose_one_block, has_products},
    {"block_of_the_reduction_repeated", propose_repeated_block, has_long_reduction, kShape,
     kCauseOnExactFills},
    {"sums_not_cleared", propose_uncleared_sums, has_several_tiles, kShape, kCauseOnExactFills},
    {"tail_rows_contracted", propose_contracted_tail, has_rows_behind_an_expert},
    {"reduction_read_past", propose_read_past, has_products},
    {"row_of_the_neighbour", propose_shifted_rows, has_rows_to_shift},
    {"narrow_partial_sums", propose_narrow_partials, has_sums, kValues, kCauseOnExactFills},
    {"narrow_integer_sums", propose_narrow_integer_sums, has_sums_of_integers, kValues},
    {"narrow_accumulator", propose_narrow_accumulator, has_products, kValues, kCauseOnExactFills},
    {"subnormal_operands_read_as_zero", propose_flushed_operands, has_subnormal_operands, kValues},
    {"subnormal_outputs_written_as_zero", propose_flushed_outputs, has_subnormal_outputs, kValues},
    {"operands_converted", propose_converted_operands, has_convertible_operands, kValues},
    {"format_misread", propose_misread_format, has_products},
    {"output_truncated", propose_truncated_output, has_products, kValues, kCauseOnExactFills},
    {"rounded_before_it_is_stored", propose_rounded_before, has_output_of_8_bits, kValues},
    {"ties_away_from_zero", propose_ties_away, has_products, kValues, kCauseOnExactFills},
    {"subnormals_or_overflow", propose_range_handling, has_extreme_values, kValues},
    {"old_output_read", propose_old_output_read, has_cleared_by_output, kValues, kObservation},
    {"never_written", propose_never_written, has_unwritten, kShape, kObservation},
    {"workspace_read", propose_workspace_read, has_cleared_by_workspace, kValues, kObservation},
    {"zeros_left", propose_zeros_left, has_zeros},
    {"special_values_lost", propose_special_values_lost, has_special_results, kValues},
    {"scaled", propose_scaled, has_elements, kShape, kDescription},
    {"neighbours_special_values", propose_neighbour_special, has_neighbours_with_special_values,
     kValues},
    {"outside_memory_read", propose_outside_read, has_signs_of_outside_memory, kValues,
     kObservation},
    {"one_ulp_off", propose_one_ulp_off, has_elements, kValues, kDescription},
    {"index_overflow", propose_index_overflow, has_elements_beyond_31_bits},
    {"changes_between_runs", propose_unordered, has_unsteady, kValues, kObservation},
};

}  // namespace

std::span<const Hypothesis> all_hypotheses() { return kHypotheses; }

bool may_explain(const Hypothesis& hypothesis, const Evidence& evidence) {
  // What needs special values, or is within the bound, is no mistake of addresses.
  const bool of_values = evidence.needs_its_values || evidence.by_bits;
  if (of_values && hypothesis.about == kShape) { return false; }
  return hypothesis.fits(evidence);
}

}  // namespace assay
