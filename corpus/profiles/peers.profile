# Every check of `full` on about a fifth of its cases: what other projects' kernels are judged by.
# Certifies nothing.
profile=peers device=any certifies=none
# Every check of properties/checks names its own cases.
draws=peers
