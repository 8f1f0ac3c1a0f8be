# Minutes: every check on many cases of every generator that suits it. Certifies any kernel.
profile=full device=any certifies=cpu,cuda
# Every check of properties/checks names its own cases.
draws=full
