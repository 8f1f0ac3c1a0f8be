# What a continuous integration runs: certifies a CPU kernel.
profile=ci device=any certifies=cpu

# Values
check=exact_integers_match_bitwise generator=small count=60 seed=1
check=anchored_integers_match_bitwise generator=small count=60 seed=1
check=real_values_stay_within_the_bound generator=small count=60 seed=1
check=bits_follow_the_declared_arithmetic generator=small count=60 seed=1
check=special_values_propagate generator=small count=60 seed=1
check=exact_integers_match_bitwise generator=tile_borders,empties,single_rows,primes count=20 seed=1
check=anchored_integers_match_bitwise generator=tile_borders,empties,single_rows,primes count=20 seed=1
check=real_values_stay_within_the_bound generator=tile_borders,empties,single_rows,primes count=20 seed=1
check=bits_follow_the_declared_arithmetic generator=tile_borders,empties,single_rows,primes count=20 seed=1
check=special_values_propagate generator=tile_borders,empties,single_rows,primes count=20 seed=1
check=exact_integers_match_bitwise generator=conventions,strides count=25 seed=1
check=anchored_integers_match_bitwise generator=conventions,strides count=25 seed=1
check=real_values_stay_within_the_bound generator=conventions,strides count=25 seed=1
check=bits_follow_the_declared_arithmetic generator=conventions,strides count=25 seed=1
check=special_values_propagate generator=conventions,strides count=25 seed=1
check=exact_integers_match_bitwise generator=skewed count=12 seed=1
check=anchored_integers_match_bitwise generator=skewed count=12 seed=1
check=real_values_stay_within_the_bound generator=skewed count=12 seed=1
check=bits_follow_the_declared_arithmetic generator=skewed count=12 seed=1
check=special_values_propagate generator=skewed count=12 seed=1
check=exact_integers_match_bitwise generator=many_experts,recorded count=4 seed=1
check=anchored_integers_match_bitwise generator=many_experts,recorded count=4 seed=1
check=real_values_stay_within_the_bound generator=many_experts,recorded count=4 seed=1
check=bits_follow_the_declared_arithmetic generator=many_experts,recorded count=4 seed=1
check=special_values_propagate generator=many_experts,recorded count=4 seed=1
check=anchored_integers_match_bitwise generator=long_reduction count=8 seed=1
check=real_values_stay_within_the_bound generator=long_reduction count=8 seed=1
check=bits_follow_the_declared_arithmetic generator=long_reduction count=8 seed=1
check=exact_integers_match_bitwise generator=many_tiles count=110 seed=1
check=anchored_integers_match_bitwise generator=many_tiles count=110 seed=1

# Memory
check=every_owned_element_is_written generator=small,empties,tile_borders count=15 seed=1
check=nothing_else_is_written generator=small,empties,tile_borders count=15 seed=1
check=nothing_outside_is_read generator=small,empties,tile_borders count=15 seed=1
check=dirty_memory_changes_nothing generator=small,empties,tile_borders count=15 seed=1
check=workspace_may_be_dirty_and_is_reusable generator=small,empties,tile_borders count=15 seed=1
check=every_owned_element_is_written generator=conventions,strides count=20 seed=1
check=nothing_else_is_written generator=conventions,strides count=20 seed=1
check=nothing_outside_is_read generator=conventions,strides count=20 seed=1
check=dirty_memory_changes_nothing generator=conventions,strides count=20 seed=1
check=workspace_may_be_dirty_and_is_reusable generator=conventions,strides count=20 seed=1
check=every_owned_element_is_written generator=single_rows,primes count=10 seed=1
check=nothing_else_is_written generator=single_rows,primes count=10 seed=1
check=nothing_outside_is_read generator=single_rows,primes count=10 seed=1
check=every_owned_element_is_written generator=many_experts,recorded count=2 seed=1
check=nothing_else_is_written generator=many_experts,recorded count=2 seed=1
check=nothing_outside_is_read generator=many_experts,recorded count=2 seed=1

# Experts
check=empty_experts_get_zero_gradient generator=small count=20 seed=1
check=accumulation_keeps_empty_experts generator=small count=20 seed=1
check=accumulation_adds_twice generator=small count=20 seed=1
check=experts_do_not_leak_into_each_other generator=small count=20 seed=1
check=expert_order_is_irrelevant generator=small count=20 seed=1
check=splitting_an_expert_changes_no_row generator=small count=20 seed=1
check=split_gradients_add_up generator=small count=20 seed=1
check=inserting_empty_experts_changes_nothing generator=small count=20 seed=1
check=tail_rows_change_nothing generator=small count=20 seed=1
check=rows_do_not_depend_on_the_batch generator=small count=20 seed=1
check=scaling_by_two_is_exact generator=small count=20 seed=1
check=forward_and_gradients_are_adjoint generator=small count=20 seed=1
check=empty_experts_get_zero_gradient generator=empties,single_rows,conventions count=10 seed=1
check=accumulation_keeps_empty_experts generator=empties,single_rows,conventions count=10 seed=1
check=accumulation_adds_twice generator=empties,single_rows,conventions count=10 seed=1
check=experts_do_not_leak_into_each_other generator=empties,single_rows,conventions count=10 seed=1
check=expert_order_is_irrelevant generator=empties,single_rows,conventions count=10 seed=1
check=splitting_an_expert_changes_no_row generator=empties,single_rows,conventions count=10 seed=1
check=split_gradients_add_up generator=empties,single_rows,conventions count=10 seed=1
check=inserting_empty_experts_changes_nothing generator=empties,single_rows,conventions count=10 seed=1
check=tail_rows_change_nothing generator=empties,single_rows,conventions count=10 seed=1
check=rows_do_not_depend_on_the_batch generator=empties,single_rows,conventions count=10 seed=1
check=scaling_by_two_is_exact generator=empties,single_rows,conventions count=10 seed=1
check=forward_and_gradients_are_adjoint generator=empties,single_rows,conventions count=10 seed=1
check=empty_experts_get_zero_gradient generator=tile_borders count=8 seed=1
check=accumulation_keeps_empty_experts generator=tile_borders count=8 seed=1
check=accumulation_adds_twice generator=tile_borders count=8 seed=1
check=experts_do_not_leak_into_each_other generator=tile_borders count=8 seed=1
check=expert_order_is_irrelevant generator=tile_borders count=8 seed=1
check=splitting_an_expert_changes_no_row generator=tile_borders count=8 seed=1
check=split_gradients_add_up generator=tile_borders count=8 seed=1
check=inserting_empty_experts_changes_nothing generator=tile_borders count=8 seed=1
check=tail_rows_change_nothing generator=tile_borders count=8 seed=1
check=rows_do_not_depend_on_the_batch generator=tile_borders count=8 seed=1
check=scaling_by_two_is_exact generator=tile_borders count=8 seed=1
check=forward_and_gradients_are_adjoint generator=tile_borders count=8 seed=1
check=empty_experts_get_zero_gradient generator=recorded,many_experts count=1 seed=1
check=accumulation_keeps_empty_experts generator=recorded,many_experts count=1 seed=1
check=accumulation_adds_twice generator=recorded,many_experts count=1 seed=1
check=experts_do_not_leak_into_each_other generator=recorded,many_experts count=1 seed=1
check=expert_order_is_irrelevant generator=recorded,many_experts count=1 seed=1
check=splitting_an_expert_changes_no_row generator=recorded,many_experts count=1 seed=1
check=split_gradients_add_up generator=recorded,many_experts count=1 seed=1
check=inserting_empty_experts_changes_nothing generator=recorded,many_experts count=1 seed=1
check=tail_rows_change_nothing generator=recorded,many_experts count=1 seed=1
check=rows_do_not_depend_on_the_batch generator=recorded,many_experts count=1 seed=1
check=scaling_by_two_is_exact generator=recorded,many_experts count=1 seed=1
check=forward_and_gradients_are_adjoint generator=recorded,many_experts count=1 seed=1

# Conventions
check=every_convention_gives_the_same_result generator=small,empties,conventions count=15 seed=1
check=invalid_offsets_do_what_the_manifest_says generator=small,strides count=15 seed=1
check=misaligned_operands_are_right_or_refused generator=small,strides count=15 seed=1
check=k_and_n_tails generator=small,strides count=15 seed=1
check=zero_rows_in_total generator=small,strides count=15 seed=1
check=one_expert generator=small,strides count=15 seed=1
check=k_and_n_tails generator=primes count=30 seed=1
check=very_many_experts generator=many_experts count=6 seed=1

# Execution
check=repeated_runs_give_the_same_bits generator=small,empties count=10 seed=1
check=concurrent_calls_do_not_meet generator=small,empties count=10 seed=1
check=every_tactic_passes generator=small,empties count=10 seed=1
check=every_declared_combination_runs generator=small,empties count=10 seed=1
check=a_sequence_of_shapes_leaks_nothing generator=small,empties count=10 seed=1
check=many_short_groups generator=small,empties count=10 seed=1
check=repeated_runs_give_the_same_bits generator=tile_borders count=5 seed=1
check=concurrent_calls_do_not_meet generator=tile_borders count=5 seed=1
check=every_tactic_passes generator=tile_borders count=5 seed=1
check=every_declared_combination_runs generator=tile_borders count=5 seed=1
check=a_sequence_of_shapes_leaks_nothing generator=tile_borders count=5 seed=1
check=many_short_groups generator=tile_borders count=5 seed=1
check=graph_replay_follows_new_offsets generator=small count=10 seed=1
check=capture_needs_no_sync generator=small count=10 seed=1
check=the_given_stream_is_honoured generator=small count=10 seed=1
check=the_operands_device_is_used generator=small count=10 seed=1
check=sanitizers_stay_silent generator=small count=10 seed=1

# Size
check=indices_beyond_2_31 generator=small count=3 seed=1
check=rows_beyond_32768 generator=small count=3 seed=1

# Speed
check=useful_row_fraction generator=small count=2 seed=1
check=not_slower_than_the_loop generator=small count=2 seed=1
check=no_silent_slow_path generator=small count=2 seed=1
check=host_time_per_call generator=small count=2 seed=1
check=useful_row_fraction generator=skewed count=2 seed=1
check=not_slower_than_the_loop generator=skewed count=2 seed=1
check=no_silent_slow_path generator=skewed count=2 seed=1
check=host_time_per_call generator=skewed count=2 seed=1
