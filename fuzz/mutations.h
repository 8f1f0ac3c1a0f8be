// The mutations, one function each. They may leave a case that makes no sense: settle_case follows.
#pragma once

#include "fuzz/mutate_case.h"

namespace assay::mutations {

void merge_experts(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void split_expert(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void swap_experts(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void empty_expert(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void insert_empty_experts(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void insert_expert(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void remove_expert(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void move_boundary(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void nudge_count(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void aim_count(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void move_all_rows(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void scale_counts(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void reverse_experts(CaseSpec& spec, const MutationSpace& space, Rng& rng);

void change_k(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_n(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void swap_k_and_n(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_pass(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_formats(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_accumulation(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_bias(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_offsets(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_told(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_pad(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_cap(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_tail(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_weights(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_ld(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_wpitch(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_scale_pitch(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_scale_layout(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_pointers(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_base(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_fill(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_seed(CaseSpec& spec, const MutationSpace& space, Rng& rng);
void change_tactic(CaseSpec& spec, const MutationSpace& space, Rng& rng);

}  // namespace assay::mutations
