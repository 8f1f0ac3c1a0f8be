#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

using enum Hypothesis::Kind;

// Those that say most come first; what merely describes the damage comes last.
constexpr Hypothesis kHypotheses[] = {
    {"convention_mixup", propose_convention_mixups},
    {"shifted_by_one_expert", propose_shifted_experts},
    {"expert_0_weights_for_all", propose_expert_zero},
    {"neighbour_experts_weights", propose_neighbour_weights},
    {"neighbour_experts_gradient", propose_neighbour_gradient},
    {"transposed_weights", propose_transposed_weights},
    {"pitch_ignored", propose_ignored_pitch},
    {"accumulation_lost", propose_lost_accumulation},
    {"product_added_again", propose_repeated_product},
    {"reduction_tail_dropped", propose_dropped_tail},
    {"only_one_block_of_the_reduction", propose_one_block},
    {"block_of_the_reduction_repeated", propose_repeated_block, kCauseOnExactFills},
    {"sums_not_cleared", propose_uncleared_sums, kCauseOnExactFills},
    {"tail_rows_contracted", propose_contracted_tail},
    {"reduction_read_past", propose_read_past},
    {"row_of_the_neighbour", propose_shifted_rows},
    {"narrow_partial_sums", propose_narrow_partials, kCauseOnExactFills},
    {"narrow_accumulator", propose_narrow_accumulator, kCauseOnExactFills},
    {"subnormal_operands_read_as_zero", propose_flushed_operands},
    {"subnormal_outputs_written_as_zero", propose_flushed_outputs},
    {"operands_converted", propose_converted_operands},
    {"format_misread", propose_misread_format},
    {"output_truncated", propose_truncated_output, kCauseOnExactFills},
    {"ties_away_from_zero", propose_ties_away, kCauseOnExactFills},
    {"subnormals_or_overflow", propose_range_handling},
    {"never_written", propose_never_written},
    {"zeros_left", propose_zeros_left},
    {"special_values_lost", propose_special_values_lost},
    {"scaled", propose_scaled, kDescription},
    {"neighbours_special_values", propose_neighbour_special},
    {"outside_memory_read", propose_outside_read},
    {"one_ulp_off", propose_one_ulp_off, kDescription},
    {"index_overflow", propose_index_overflow},
    {"changes_between_runs", propose_unordered},
};

}  // namespace

std::span<const Hypothesis> all_hypotheses() { return kHypotheses; }

}  // namespace assay
