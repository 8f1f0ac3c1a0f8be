// stmatrix: four 8x8 matrices of 16-bit elements, spread over a warp's registers, to shared memory.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/ptx/barrier.cuh"

namespace assay {

// Lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void stmatrix_x4(void* row, std::uint32_t a, std::uint32_t b,
                                            std::uint32_t c, std::uint32_t d) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(a), "r"(b), "r"(c), "r"(d)
      : "memory");
}

// The same with each matrix transposed on its way.
__device__ __forceinline__ void stmatrix_x4_trans(void* row, std::uint32_t a, std::uint32_t b,
                                                  std::uint32_t c, std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

}  // namespace assay
