// `sm80`: persistent grouped-GEMM kernels on cp.async, ldmatrix and mma.sync, for Ampere, Ada and
// Hopper. Reads offsets on the device only; every call can be captured in a graph.
#pragma once

#include "src/contract/assay/abi.h"

namespace assay {

const char* sm80_manifest();
const char* sm80_zero_tail_manifest();  // of the option in zero_tail.h
int sm80_run(const assay_call* call);

}  // namespace assay
