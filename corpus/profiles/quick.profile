# Ten seconds while a kernel is being written: every check on a few small cases.
profile=quick device=any certifies=none

# Values
check=exact_integers_match_bitwise generator=small count=8 seed=1
check=anchored_integers_match_bitwise generator=small count=8 seed=1
check=real_values_stay_within_the_bound generator=small count=8 seed=1
check=bits_follow_the_declared_arithmetic generator=small count=8 seed=1
check=special_values_propagate generator=small count=8 seed=1
check=exact_integers_match_bitwise generator=tile_borders,empties,conventions count=3 seed=1
check=anchored_integers_match_bitwise generator=tile_borders,empties,conventions count=3 seed=1
check=real_values_stay_within_the_bound generator=tile_borders,empties,conventions count=3 seed=1

# Memory
check=every_owned_element_is_written generator=small,empties count=4 seed=1
check=nothing_else_is_written generator=small,empties count=4 seed=1
check=nothing_outside_is_read generator=small,empties count=4 seed=1
check=dirty_memory_changes_nothing generator=small,empties count=4 seed=1
check=workspace_may_be_dirty_and_is_reusable generator=small,empties count=4 seed=1
check=every_owned_element_is_written generator=conventions,strides count=3 seed=1
check=nothing_else_is_written generator=conventions,strides count=3 seed=1
check=nothing_outside_is_read generator=conventions,strides count=3 seed=1

# Experts
check=empty_experts_get_zero_gradient generator=small count=5 seed=1
check=accumulation_keeps_empty_experts generator=small count=5 seed=1
check=accumulation_adds_twice generator=small count=5 seed=1
check=experts_do_not_leak_into_each_other generator=small count=5 seed=1
check=expert_order_is_irrelevant generator=small count=5 seed=1
check=splitting_an_expert_changes_no_row generator=small count=5 seed=1
check=split_gradients_add_up generator=small count=5 seed=1
check=inserting_empty_experts_changes_nothing generator=small count=5 seed=1
check=tail_rows_change_nothing generator=small count=5 seed=1
check=rows_do_not_depend_on_the_batch generator=small count=5 seed=1
check=scaling_by_two_is_exact generator=small count=5 seed=1
check=forward_and_gradients_are_adjoint generator=small count=5 seed=1
check=empty_experts_get_zero_gradient generator=empties count=4 seed=1
check=accumulation_keeps_empty_experts generator=empties count=4 seed=1
check=accumulation_adds_twice generator=empties count=4 seed=1

# Conventions
check=every_convention_gives_the_same_result generator=conventions count=4 seed=1
check=invalid_offsets_do_what_the_manifest_says generator=small count=3 seed=1
check=misaligned_operands_are_right_or_refused generator=small count=3 seed=1
check=k_and_n_tails generator=small count=3 seed=1
check=zero_rows_in_total generator=small count=3 seed=1
check=one_expert generator=small count=3 seed=1
check=very_many_experts generator=small count=3 seed=1

# Execution
check=repeated_runs_give_the_same_bits generator=small count=2 seed=1
check=graph_replay_follows_new_offsets generator=small count=2 seed=1
check=capture_needs_no_sync generator=small count=2 seed=1
check=the_given_stream_is_honoured generator=small count=2 seed=1
check=concurrent_calls_do_not_meet generator=small count=2 seed=1
check=the_operands_device_is_used generator=small count=2 seed=1
check=every_tactic_passes generator=small count=2 seed=1
check=every_declared_combination_runs generator=small count=2 seed=1
check=a_sequence_of_shapes_leaks_nothing generator=small count=2 seed=1
check=many_short_groups generator=small count=2 seed=1
check=sanitizers_stay_silent generator=small count=2 seed=1

# Size
check=indices_beyond_2_31 generator=small count=1 seed=1
check=rows_beyond_32768 generator=small count=1 seed=1

# Speed
check=useful_row_fraction generator=small count=1 seed=1
check=not_slower_than_the_loop generator=small count=1 seed=1
check=no_silent_slow_path generator=small count=1 seed=1
check=host_time_per_call generator=small count=1 seed=1
