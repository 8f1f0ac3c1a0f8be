// The functions behind all_hypotheses(), one file a family.
#pragma once

#include "src/diagnosis/hypotheses/hypothesis.h"

namespace assay {

// weights.cpp
void propose_expert_zero(const Evidence& evidence, std::vector<Claim>& claims);
void propose_neighbour_weights(const Evidence& evidence, std::vector<Claim>& claims);
void propose_ignored_weight_pointers(const Evidence& evidence, std::vector<Claim>& claims);
void propose_neighbour_gradient(const Evidence& evidence, std::vector<Claim>& claims);
void propose_transposed_weights(const Evidence& evidence, std::vector<Claim>& claims);
// reduction.cpp
void propose_dropped_tail(const Evidence& evidence, std::vector<Claim>& claims);
void propose_one_block(const Evidence& evidence, std::vector<Claim>& claims);
void propose_read_past(const Evidence& evidence, std::vector<Claim>& claims);
void propose_shifted_rows(const Evidence& evidence, std::vector<Claim>& claims);
void propose_contracted_tail(const Evidence& evidence, std::vector<Claim>& claims);
// conventions.cpp
void propose_convention_mixups(const Evidence& evidence, std::vector<Claim>& claims);
void propose_shifted_experts(const Evidence& evidence, std::vector<Claim>& claims);
// partials.cpp
void propose_narrow_partials(const Evidence& evidence, std::vector<Claim>& claims);
void propose_narrow_integer_sums(const Evidence& evidence, std::vector<Claim>& claims);
void propose_narrow_accumulator(const Evidence& evidence, std::vector<Claim>& claims);
// accumulation.cpp
void propose_lost_accumulation(const Evidence& evidence, std::vector<Claim>& claims);
void propose_repeated_product(const Evidence& evidence, std::vector<Claim>& claims);
// bias.cpp
void propose_wrong_bias(const Evidence& evidence, std::vector<Claim>& claims);
// pitches.cpp
void propose_ignored_pitch(const Evidence& evidence, std::vector<Claim>& claims);
// padded.cpp
void propose_padded_pitch(const Evidence& evidence, std::vector<Claim>& claims);
void propose_rounded_starts(const Evidence& evidence, std::vector<Claim>& claims);
// repeats.cpp
void propose_repeated_block(const Evidence& evidence, std::vector<Claim>& claims);
void propose_uncleared_sums(const Evidence& evidence, std::vector<Claim>& claims);
// memory.cpp
void propose_never_written(const Evidence& evidence, std::vector<Claim>& claims);
void propose_old_output_read(const Evidence& evidence, std::vector<Claim>& claims);
void propose_workspace_read(const Evidence& evidence, std::vector<Claim>& claims);
void propose_zeros_left(const Evidence& evidence, std::vector<Claim>& claims);
void propose_neighbour_special(const Evidence& evidence, std::vector<Claim>& claims);
void propose_outside_read(const Evidence& evidence, std::vector<Claim>& claims);
void propose_index_overflow(const Evidence& evidence, std::vector<Claim>& claims);
void propose_unordered(const Evidence& evidence, std::vector<Claim>& claims);
// rounding.cpp
void propose_truncated_output(const Evidence& evidence, std::vector<Claim>& claims);
void propose_ties_away(const Evidence& evidence, std::vector<Claim>& claims);
void propose_converted_operands(const Evidence& evidence, std::vector<Claim>& claims);
void propose_rounded_before(const Evidence& evidence, std::vector<Claim>& claims);
void propose_misread_format(const Evidence& evidence, std::vector<Claim>& claims);
void propose_range_handling(const Evidence& evidence, std::vector<Claim>& claims);
// flushed.cpp
void propose_flushed_operands(const Evidence& evidence, std::vector<Claim>& claims);
void propose_flushed_outputs(const Evidence& evidence, std::vector<Claim>& claims);
// scales.cpp
void propose_scales_left_out(const Evidence& evidence, std::vector<Claim>& claims);
void propose_other_scale_places(const Evidence& evidence, std::vector<Claim>& claims);
void propose_scale_of_another_block(const Evidence& evidence, std::vector<Claim>& claims);
void propose_scale_misread(const Evidence& evidence, std::vector<Claim>& claims);
void propose_tensor_scale_misread(const Evidence& evidence, std::vector<Claim>& claims);
// Of an expert without rows: 0 times a scale that is NaN.
void propose_scaled_empty_sums(const Evidence& evidence, std::vector<Claim>& claims);
// out_scale.cpp
void propose_output_scale_misread(const Evidence& evidence, std::vector<Claim>& claims);
// codes.cpp
void propose_misread_codes(const Evidence& evidence, std::vector<Claim>& claims);
void propose_codes_in_the_others_format(const Evidence& evidence, std::vector<Claim>& claims);
// deviation.cpp
void propose_special_values_lost(const Evidence& evidence, std::vector<Claim>& claims);
void propose_scaled(const Evidence& evidence, std::vector<Claim>& claims);
void propose_one_ulp_off(const Evidence& evidence, std::vector<Claim>& claims);

}  // namespace assay
