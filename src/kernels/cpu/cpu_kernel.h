// `cpu`: a persistent grouped-GEMM kernel whose threads stand in for CTAs. Each walks the same tile
// schedule as the GPU kernels and sums every output element as one chain of fp32 fused
// multiply-adds in ascending order of the reduction, starting from +0 or, when accumulating, from
// C; a bias is added last: the same bits on every machine, tactic and number of threads.
//
// ASSAY_CPU_ISA=portable|avx2|avx512 forces an instruction set; otherwise the best one of the
// machine is taken.
#pragma once

#include "src/contract/assay/abi.h"

namespace assay {

const char* cpu_manifest();
int cpu_run(const assay_call* call);

}  // namespace assay
