# For tests of the Python module: a few cases of two checks.
profile=two_checks device=any certifies=none
check=exact_integers_match_bitwise generator=small count=6 seed=1
check=nothing_else_is_written generator=small count=6 seed=2
