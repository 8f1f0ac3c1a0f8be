# Open-ended small cases for false alarms: slow, certifies nothing.
profile=soak device=any certifies=none

# Small random cases: no false alarm in 20,000 of them on a correct kernel
check=exact_integers_match_bitwise generator=small count=2000 seed=1
check=anchored_integers_match_bitwise generator=small count=2000 seed=1
check=real_values_stay_within_the_bound generator=small count=2000 seed=1
check=bits_follow_the_declared_arithmetic generator=small count=2000 seed=1
check=every_owned_element_is_written generator=small count=2000 seed=1
check=nothing_else_is_written generator=small count=2000 seed=1
check=nothing_outside_is_read generator=small count=2000 seed=1
check=empty_experts_get_zero_gradient generator=small count=400 seed=1
check=accumulation_keeps_empty_experts generator=small count=400 seed=1
check=accumulation_adds_twice generator=small count=400 seed=1
check=experts_do_not_leak_into_each_other generator=small count=400 seed=1
check=expert_order_is_irrelevant generator=small count=400 seed=1
check=splitting_an_expert_changes_no_row generator=small count=400 seed=1
check=split_gradients_add_up generator=small count=400 seed=1
check=inserting_empty_experts_changes_nothing generator=small count=400 seed=1
check=tail_rows_change_nothing generator=small count=400 seed=1
check=rows_do_not_depend_on_the_batch generator=small count=400 seed=1
check=scaling_by_two_is_exact generator=small count=400 seed=1
check=forward_and_gradients_are_adjoint generator=small count=400 seed=1
check=every_convention_gives_the_same_result generator=conventions count=1000 seed=1
