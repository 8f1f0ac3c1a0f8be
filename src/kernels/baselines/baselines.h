// Correct kernels of other kinds, to measure and to compare against.
#pragma once

#include "src/contract/assay/abi.h"

namespace assay {

// One OpenBLAS product an expert.
const char* loop_manifest();
int loop_run(const assay_call* call);

// A capacity-padded batch: every expert is copied into a zero-padded buffer of the largest count,
// all products have one shape, and the padding rows are dropped on the way out.
const char* padded_manifest();
int padded_run(const assay_call* call);

}  // namespace assay
