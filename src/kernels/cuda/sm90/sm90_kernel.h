// `sm90`: persistent grouped-GEMM kernels for Hopper (compute capability 9.0): TMA, wgmma, a warp
// that schedules, a warp that loads and two warpgroups that multiply. Reads offsets on the device
// only; every call can be captured in a graph.
#pragma once

#include "src/contract/assay/abi.h"

namespace assay {

const char* sm90_manifest();
const char* sm90_zero_tail_manifest();  // of the option in zero_tail.h
int sm90_run(const assay_call* call);

}  // namespace assay
