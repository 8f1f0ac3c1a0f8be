// Preconditions of hypotheses: whether a case has at all what a claim speaks of.
#pragma once

#include "src/diagnosis/evidence.h"

namespace assay {

bool is_subnormal(oracle::Format format, std::uint32_t bits);
bool has_elements(const Evidence& evidence);
// Some output is a sum of at least one product; of at least two; of more than a small block.
bool has_products(const Evidence& evidence);
bool has_sums(const Evidence& evidence);
bool has_long_reduction(const Evidence& evidence);
bool has_sums_of_integers(const Evidence& evidence);
bool has_rows_to_shift(const Evidence& evidence);  // a row, and another beside it, real or not
bool has_experts(const Evidence& evidence);        // two at least, one of them with rows
bool has_rows_past_expert_0(const Evidence& evidence);
bool has_neighbours_with_rows(const Evidence& evidence);
bool has_scattered_experts(const Evidence& evidence);
bool has_weights_of_two_axes(const Evidence& evidence);  // k and n above 1
bool has_gaps(const Evidence& evidence);
bool has_width_to_pad(
    const Evidence& evidence);  // a row stride other than the width, or a width to round up
bool has_starts_to_round(const Evidence& evidence);
bool has_scales(const Evidence& evidence);
bool has_tensor_scales(const Evidence& evidence);
bool has_output_scale(const Evidence& evidence);
bool has_output_of_8_bits(const Evidence& evidence);
bool has_empty_sums_of_special_scales(const Evidence& evidence);
bool has_placed_scales(const Evidence& evidence);
bool has_codes_of_8_bits(const Evidence& evidence);
bool has_codes_of_two_formats(const Evidence& evidence);
bool accumulates(const Evidence& evidence);
bool has_bias(const Evidence& evidence);  // and rows to add it to
bool has_several_tiles(const Evidence& evidence);
bool has_rows_behind_an_expert(const Evidence& evidence);
bool has_subnormal_operands(const Evidence& evidence);
bool has_subnormal_outputs(const Evidence& evidence);
bool has_convertible_operands(const Evidence& evidence);
bool has_extreme_values(const Evidence& evidence);
bool has_special_results(const Evidence& evidence);
bool has_neighbours_with_special_values(const Evidence& evidence);
bool has_unwritten(const Evidence& evidence);
bool has_zeros(const Evidence& evidence);
bool has_unsteady(const Evidence& evidence);
bool has_cleared_by_output(const Evidence& evidence);
bool has_cleared_by_workspace(const Evidence& evidence);
bool has_signs_of_outside_memory(const Evidence& evidence);
bool has_elements_beyond_31_bits(const Evidence& evidence);

}  // namespace assay
