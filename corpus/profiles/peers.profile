# Every check of `full` on about a fifth of its cases: what other projects' kernels are judged by.
# Certifies nothing.
profile=peers device=any certifies=none

# Values
check=exact_integers_match_bitwise generator=small count=192 seed=1
check=exact_integers_match_bitwise generator=tile_borders count=64 seed=2
check=exact_integers_match_bitwise generator=skewed count=48 seed=3
check=exact_integers_match_bitwise generator=empties count=48 seed=4
check=exact_integers_match_bitwise generator=primes count=48 seed=5
check=exact_integers_match_bitwise generator=conventions count=96 seed=6
check=exact_integers_match_bitwise generator=strides count=48 seed=7
check=exact_integers_match_bitwise generator=recorded count=19 seed=8
check=exact_integers_match_bitwise generator=many_tiles count=38 seed=9
check=exact_integers_match_bitwise generator=long_reduction count=26 seed=10
check=exact_integers_match_bitwise generator=single_rows count=32 seed=11
check=exact_integers_match_bitwise generator=many_experts count=58 seed=12
check=anchored_integers_match_bitwise generator=small count=128 seed=13
check=anchored_integers_match_bitwise generator=tile_borders count=38 seed=14
check=anchored_integers_match_bitwise generator=long_reduction count=64 seed=15
check=anchored_integers_match_bitwise generator=many_tiles count=38 seed=16
check=anchored_integers_match_bitwise generator=conventions count=48 seed=17
check=anchored_integers_match_bitwise generator=recorded count=10 seed=18
check=anchored_integers_match_bitwise generator=many_experts count=29 seed=117
check=real_values_stay_within_the_bound generator=small count=192 seed=19
check=real_values_stay_within_the_bound generator=tile_borders count=38 seed=20
check=real_values_stay_within_the_bound generator=long_reduction count=64 seed=21
check=real_values_stay_within_the_bound generator=many_tiles count=38 seed=22
check=real_values_stay_within_the_bound generator=skewed count=38 seed=23
check=real_values_stay_within_the_bound generator=recorded count=13 seed=24
check=real_values_stay_within_the_bound generator=many_experts count=29 seed=118
check=bits_follow_the_declared_arithmetic generator=small count=160 seed=25
check=bits_follow_the_declared_arithmetic generator=long_reduction count=48 seed=26
check=bits_follow_the_declared_arithmetic generator=many_tiles count=38 seed=27
check=bits_follow_the_declared_arithmetic generator=empties count=32 seed=28
check=bits_follow_the_declared_arithmetic generator=tile_borders count=26 seed=29
check=bits_follow_the_declared_arithmetic generator=many_experts count=22 seed=119
check=special_values_propagate generator=small count=160 seed=30
check=special_values_propagate generator=tile_borders count=26 seed=31
check=special_values_propagate generator=primes count=48 seed=32
check=special_values_propagate generator=many_tiles count=19 seed=33

# Memory
check=every_owned_element_is_written generator=small count=96 seed=34
check=every_owned_element_is_written generator=empties count=48 seed=35
check=every_owned_element_is_written generator=many_tiles count=38 seed=36
check=every_owned_element_is_written generator=tile_borders count=38 seed=37
check=every_owned_element_is_written generator=conventions count=48 seed=38
check=every_owned_element_is_written generator=many_experts count=22 seed=120
check=nothing_else_is_written generator=small count=128 seed=39
check=nothing_else_is_written generator=conventions count=96 seed=40
check=nothing_else_is_written generator=strides count=80 seed=41
check=nothing_else_is_written generator=tile_borders count=32 seed=42
check=nothing_else_is_written generator=many_tiles count=19 seed=43
check=nothing_else_is_written generator=many_experts count=22 seed=121
check=nothing_outside_is_read generator=small count=128 seed=44
check=nothing_outside_is_read generator=conventions count=96 seed=45
check=nothing_outside_is_read generator=strides count=80 seed=46
check=nothing_outside_is_read generator=primes count=64 seed=47
check=nothing_outside_is_read generator=tile_borders count=32 seed=48
check=nothing_outside_is_read generator=many_tiles count=19 seed=49
check=dirty_memory_changes_nothing generator=small count=80 seed=50
check=dirty_memory_changes_nothing generator=empties count=64 seed=51
check=workspace_may_be_dirty_and_is_reusable generator=small count=48 seed=52
check=workspace_may_be_dirty_and_is_reusable generator=tile_borders count=16 seed=53

# Experts
check=empty_experts_get_zero_gradient generator=small count=64 seed=54
check=empty_experts_get_zero_gradient generator=empties count=64 seed=55
check=empty_experts_get_zero_gradient generator=single_rows count=32 seed=56
check=empty_experts_get_zero_gradient generator=many_experts count=22 seed=122
check=accumulation_keeps_empty_experts generator=small count=64 seed=57
check=accumulation_keeps_empty_experts generator=empties count=48 seed=58
check=accumulation_adds_twice generator=small count=80 seed=59
check=accumulation_adds_twice generator=tile_borders count=26 seed=60
check=accumulation_adds_twice generator=many_tiles count=13 seed=61
check=experts_do_not_leak_into_each_other generator=small count=80 seed=62
check=experts_do_not_leak_into_each_other generator=skewed count=32 seed=63
check=experts_do_not_leak_into_each_other generator=tile_borders count=32 seed=64
check=expert_order_is_irrelevant generator=small count=80 seed=65
check=expert_order_is_irrelevant generator=skewed count=32 seed=66
check=expert_order_is_irrelevant generator=conventions count=48 seed=67
check=splitting_an_expert_changes_no_row generator=small count=80 seed=68
check=splitting_an_expert_changes_no_row generator=tile_borders count=32 seed=69
check=split_gradients_add_up generator=small count=64 seed=70
check=split_gradients_add_up generator=tile_borders count=26 seed=71
check=inserting_empty_experts_changes_nothing generator=small count=64 seed=72
check=inserting_empty_experts_changes_nothing generator=conventions count=48 seed=73
check=inserting_empty_experts_changes_nothing generator=many_experts count=14 seed=123
check=tail_rows_change_nothing generator=small count=80 seed=74
check=tail_rows_change_nothing generator=conventions count=32 seed=75
check=rows_do_not_depend_on_the_batch generator=small count=80 seed=76
check=rows_do_not_depend_on_the_batch generator=tile_borders count=26 seed=77
check=scaling_by_two_is_exact generator=small count=80 seed=78
check=forward_and_gradients_are_adjoint generator=small count=48 seed=79
check=forward_and_gradients_are_adjoint generator=skewed count=16 seed=80

# Conventions
check=every_convention_gives_the_same_result generator=small count=48 seed=81
check=every_convention_gives_the_same_result generator=empties count=26 seed=82
check=invalid_offsets_do_what_the_manifest_says generator=small count=96 seed=83
check=invalid_offsets_do_what_the_manifest_says generator=conventions count=48 seed=84
check=invalid_offsets_do_what_the_manifest_says generator=many_experts count=14 seed=125
check=misaligned_operands_are_right_or_refused generator=small count=96 seed=85
check=misaligned_operands_are_right_or_refused generator=primes count=48 seed=86
check=k_and_n_tails generator=small count=96 seed=87
check=k_and_n_tails generator=tile_borders count=32 seed=88
check=zero_rows_in_total generator=small count=38 seed=89
check=zero_rows_in_total generator=conventions count=26 seed=90
check=one_expert generator=small count=64 seed=91
check=one_expert generator=tile_borders count=26 seed=92
check=very_many_experts generator=small count=38 seed=93

# Execution
check=repeated_runs_give_the_same_bits generator=small count=48 seed=94
check=repeated_runs_give_the_same_bits generator=long_reduction count=16 seed=95
check=graph_replay_follows_new_offsets generator=small count=13 seed=96
check=capture_needs_no_sync generator=small count=13 seed=97
check=the_given_stream_is_honoured generator=small count=13 seed=98
check=concurrent_calls_do_not_meet generator=small count=38 seed=99
check=concurrent_calls_do_not_meet generator=tile_borders count=13 seed=100
check=the_operands_device_is_used generator=small count=13 seed=101
check=every_tactic_passes generator=small count=38 seed=102
check=every_tactic_passes generator=tile_borders count=26 seed=103
check=every_tactic_passes generator=many_tiles count=26 seed=104
check=every_declared_combination_runs generator=small count=5 seed=105
check=every_declared_combination_runs generator=empties count=3 seed=106
check=a_sequence_of_shapes_leaks_nothing generator=small count=38 seed=107
check=a_sequence_of_shapes_leaks_nothing generator=tile_borders count=13 seed=108
check=calls_leave_nothing_behind generator=small count=5 seed=126
check=many_short_groups generator=small count=64 seed=109
check=sanitizers_stay_silent generator=small count=1 seed=110

# Size
check=indices_beyond_2_31 generator=small count=12 seed=111
check=rows_beyond_32768 generator=small count=10 seed=112

# Speed, reported as ratios
check=useful_row_fraction generator=recorded count=6 seed=113
check=time_over_the_loop generator=tile_borders count=1 seed=114
check=time_over_the_aligned_case generator=tile_borders count=6 seed=115
check=host_time_per_call generator=small count=6 seed=116
