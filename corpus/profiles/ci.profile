# What continuous integration runs: ten seconds on two cores. Certifies a CPU kernel.
profile=ci device=any certifies=cpu

# Values
check=exact_integers_match_bitwise generator=small count=288 seed=1
check=exact_integers_match_bitwise generator=tile_borders count=96 seed=2
check=exact_integers_match_bitwise generator=skewed count=72 seed=3
check=exact_integers_match_bitwise generator=empties count=72 seed=4
check=exact_integers_match_bitwise generator=primes count=72 seed=5
check=exact_integers_match_bitwise generator=conventions count=144 seed=6
check=exact_integers_match_bitwise generator=strides count=72 seed=7
check=exact_integers_match_bitwise generator=recorded count=28 seed=8
check=exact_integers_match_bitwise generator=many_tiles count=36 seed=9
check=exact_integers_match_bitwise generator=long_reduction count=38 seed=10
check=exact_integers_match_bitwise generator=single_rows count=48 seed=11
check=exact_integers_match_bitwise generator=many_experts count=96 seed=12
check=anchored_integers_match_bitwise generator=small count=192 seed=13
check=anchored_integers_match_bitwise generator=tile_borders count=57 seed=14
check=anchored_integers_match_bitwise generator=long_reduction count=96 seed=15
check=anchored_integers_match_bitwise generator=many_tiles count=36 seed=16
check=anchored_integers_match_bitwise generator=conventions count=72 seed=17
check=anchored_integers_match_bitwise generator=recorded count=14 seed=18
check=anchored_integers_match_bitwise generator=many_experts count=48 seed=117
check=real_values_stay_within_the_bound generator=small count=288 seed=19
check=real_values_stay_within_the_bound generator=tile_borders count=57 seed=20
check=real_values_stay_within_the_bound generator=long_reduction count=96 seed=21
check=real_values_stay_within_the_bound generator=many_tiles count=36 seed=22
check=real_values_stay_within_the_bound generator=skewed count=57 seed=23
check=real_values_stay_within_the_bound generator=recorded count=19 seed=24
check=real_values_stay_within_the_bound generator=many_experts count=48 seed=118
check=bits_follow_the_declared_arithmetic generator=small count=240 seed=25
check=bits_follow_the_declared_arithmetic generator=long_reduction count=72 seed=26
check=bits_follow_the_declared_arithmetic generator=many_tiles count=36 seed=27
check=bits_follow_the_declared_arithmetic generator=empties count=48 seed=28
check=bits_follow_the_declared_arithmetic generator=tile_borders count=38 seed=29
check=bits_follow_the_declared_arithmetic generator=many_experts count=36 seed=119
check=special_values_propagate generator=small count=240 seed=30
check=special_values_propagate generator=tile_borders count=38 seed=31
check=special_values_propagate generator=primes count=72 seed=32
check=special_values_propagate generator=many_tiles count=18 seed=33

# Memory
check=every_owned_element_is_written generator=small count=144 seed=34
check=every_owned_element_is_written generator=empties count=72 seed=35
check=every_owned_element_is_written generator=many_tiles count=36 seed=36
check=every_owned_element_is_written generator=tile_borders count=57 seed=37
check=every_owned_element_is_written generator=conventions count=72 seed=38
check=every_owned_element_is_written generator=many_experts count=36 seed=120
check=nothing_else_is_written generator=small count=192 seed=39
check=nothing_else_is_written generator=conventions count=144 seed=40
check=nothing_else_is_written generator=strides count=120 seed=41
check=nothing_else_is_written generator=tile_borders count=48 seed=42
check=nothing_else_is_written generator=many_tiles count=18 seed=43
check=nothing_else_is_written generator=many_experts count=36 seed=121
check=nothing_outside_is_read generator=small count=192 seed=44
check=nothing_outside_is_read generator=conventions count=144 seed=45
check=nothing_outside_is_read generator=strides count=120 seed=46
check=nothing_outside_is_read generator=primes count=96 seed=47
check=nothing_outside_is_read generator=tile_borders count=48 seed=48
check=nothing_outside_is_read generator=many_tiles count=18 seed=49
check=dirty_memory_changes_nothing generator=small count=120 seed=50
check=dirty_memory_changes_nothing generator=empties count=96 seed=51
check=workspace_may_be_dirty_and_is_reusable generator=small count=72 seed=52
check=workspace_may_be_dirty_and_is_reusable generator=tile_borders count=24 seed=53

# Experts
check=empty_experts_get_zero_gradient generator=small count=96 seed=54
check=empty_experts_get_zero_gradient generator=empties count=96 seed=55
check=empty_experts_get_zero_gradient generator=single_rows count=48 seed=56
check=empty_experts_get_zero_gradient generator=many_experts count=36 seed=122
check=accumulation_keeps_empty_experts generator=small count=96 seed=57
check=accumulation_keeps_empty_experts generator=empties count=72 seed=58
check=accumulation_adds_twice generator=small count=120 seed=59
check=accumulation_adds_twice generator=tile_borders count=38 seed=60
check=accumulation_adds_twice generator=many_tiles count=12 seed=61
check=experts_do_not_leak_into_each_other generator=small count=120 seed=62
check=experts_do_not_leak_into_each_other generator=skewed count=48 seed=63
check=experts_do_not_leak_into_each_other generator=tile_borders count=48 seed=64
check=expert_order_is_irrelevant generator=small count=120 seed=65
check=expert_order_is_irrelevant generator=skewed count=48 seed=66
check=expert_order_is_irrelevant generator=conventions count=72 seed=67
check=splitting_an_expert_changes_no_row generator=small count=120 seed=68
check=splitting_an_expert_changes_no_row generator=tile_borders count=48 seed=69
check=split_gradients_add_up generator=small count=96 seed=70
check=split_gradients_add_up generator=tile_borders count=38 seed=71
check=inserting_empty_experts_changes_nothing generator=small count=96 seed=72
check=inserting_empty_experts_changes_nothing generator=conventions count=72 seed=73
check=inserting_empty_experts_changes_nothing generator=many_experts count=24 seed=123
check=tail_rows_change_nothing generator=small count=120 seed=74
check=tail_rows_change_nothing generator=conventions count=48 seed=75
check=rows_do_not_depend_on_the_batch generator=small count=120 seed=76
check=rows_do_not_depend_on_the_batch generator=tile_borders count=38 seed=77
check=scaling_by_two_is_exact generator=small count=120 seed=78
check=forward_and_gradients_are_adjoint generator=small count=72 seed=79
check=forward_and_gradients_are_adjoint generator=skewed count=24 seed=80

# Conventions
check=every_convention_gives_the_same_result generator=small count=72 seed=81
check=every_convention_gives_the_same_result generator=empties count=38 seed=82
check=invalid_offsets_do_what_the_manifest_says generator=small count=144 seed=83
check=invalid_offsets_do_what_the_manifest_says generator=conventions count=72 seed=84
check=misaligned_operands_are_right_or_refused generator=small count=144 seed=85
check=misaligned_operands_are_right_or_refused generator=primes count=72 seed=86
check=k_and_n_tails generator=small count=144 seed=87
check=k_and_n_tails generator=tile_borders count=48 seed=88
check=zero_rows_in_total generator=small count=57 seed=89
check=zero_rows_in_total generator=conventions count=38 seed=90
check=one_expert generator=small count=96 seed=91
check=one_expert generator=tile_borders count=38 seed=92
check=very_many_experts generator=small count=24 seed=93

# Execution
check=repeated_runs_give_the_same_bits generator=small count=72 seed=94
check=repeated_runs_give_the_same_bits generator=long_reduction count=24 seed=95
check=graph_replay_follows_new_offsets generator=small count=19 seed=96
check=capture_needs_no_sync generator=small count=19 seed=97
check=the_given_stream_is_honoured generator=small count=19 seed=98
check=concurrent_calls_do_not_meet generator=small count=57 seed=99
check=concurrent_calls_do_not_meet generator=tile_borders count=19 seed=100
check=the_operands_device_is_used generator=small count=19 seed=101
check=every_tactic_passes generator=small count=57 seed=102
check=every_tactic_passes generator=tile_borders count=38 seed=103
check=every_tactic_passes generator=many_tiles count=24 seed=104
check=every_declared_combination_runs generator=small count=3 seed=105
check=every_declared_combination_runs generator=empties count=2 seed=106
check=a_sequence_of_shapes_leaks_nothing generator=small count=57 seed=107
check=a_sequence_of_shapes_leaks_nothing generator=tile_borders count=19 seed=108
check=calls_leave_nothing_behind generator=small count=9 seed=126
check=many_short_groups generator=small count=96 seed=109
check=sanitizers_stay_silent generator=small count=1 seed=110

# Size
check=indices_beyond_2_31 generator=small count=60 seed=111
check=rows_beyond_32768 generator=small count=12 seed=112

# Speed, reported as ratios
check=useful_row_fraction generator=recorded count=9 seed=113
check=time_over_the_loop generator=tile_borders count=3 seed=114
check=time_over_the_aligned_case generator=tile_borders count=9 seed=115
check=host_time_per_call generator=small count=9 seed=116
