// mma.sync with its loads from shared memory, and asynchronous copies of 16 bytes: Ampere's
// instructions. Source: PTX ISA, mma.m16n8k16, ldmatrix and cp.async.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "src/kernels/cuda/ptx/barrier.cuh"

namespace assay {

// Copies 16 bytes, or zeros where `exists` is false; `from` is not read then.
__device__ __forceinline__ void cp_async_16(std::uint32_t to, const void* from, bool exists) {
  const int bytes = exists ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until all but the newest kGroups groups of this thread have landed.
template <int kGroups>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

// Four 8x8 matrices of 16-bit elements; lane l gives the address of row l % 8 of matrix l / 8.
template <bool kTransposed>
__device__ __forceinline__ void ldmatrix_x4(std::uint32_t (&to)[4], std::uint32_t row) {
  if constexpr (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
  }
}

// Accumulators [16, 8] += left [16, 16] right [16, 8]. Lane l holds row l / 4 and, in the upper
// half, that plus 8; columns 2 * (l % 4) and the next.
template <class Element>
__device__ __forceinline__ void mma_m16n8k16(float (&accumulators)[4],
                                             const std::uint32_t (&left)[4], std::uint32_t right_0,
                                             std::uint32_t right_1);

#define ASSAY_MMA_M16N8K16(element, type)                                            \
  template <>                                                                        \
  __device__ __forceinline__ void mma_m16n8k16<element>(                             \
      float(&accumulators)[4], const std::uint32_t(&left)[4], std::uint32_t right_0, \
      std::uint32_t right_1) {                                                       \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                       \
        ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
        : "+f"(accumulators[0]), "+f"(accumulators[1]), "+f"(accumulators[2]),       \
          "+f"(accumulators[3])                                                      \
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_0),      \
          /* the upper eight of the reduction */ "r"(right_1));                      \
  }
ASSAY_MMA_M16N8K16(__nv_bfloat16, "bf16")
ASSAY_MMA_M16N8K16(__half, "f16")
#undef ASSAY_MMA_M16N8K16

}  // namespace assay
