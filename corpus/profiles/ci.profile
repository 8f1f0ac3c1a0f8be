# What continuous integration runs: 14 seconds on two cores. Certifies a CPU kernel.
profile=ci device=any certifies=cpu
# Every check of properties/checks names its own cases.
draws=ci
