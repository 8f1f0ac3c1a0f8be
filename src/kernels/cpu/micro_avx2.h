// Loops that the AVX2 and the AVX-512 instruction sets share.
#pragma once

#if defined(__x86_64__)

#include "src/kernels/cpu/isa.h"

namespace assay {

void avx2_widen(const Lines& lines);
void avx2_narrow(const Lines& lines);
void avx2_transpose(const float* from, Index from_pitch, Index rows, Index cols, float* to,
                    Index to_pitch);

}  // namespace assay

#endif
