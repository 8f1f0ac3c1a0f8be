# A few seconds while writing a kernel: every check on a few small cases. Certifies nothing.
profile=quick device=any certifies=none
# Every check of properties/checks names its own cases.
draws=quick
