// Warpgroup matrix multiplication: descriptors of operands in shared memory, and the ordering
// around wgmma_multiply (wgmma_multiply.cuh). Source: PTX ISA, wgmma matrix descriptors.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/ptx/barrier.cuh"

namespace assay {

// An operand under the 128-byte swizzle, in whole patterns of 1,024 bytes.
// K-major: rows of 64 reduction elements (128 bytes); columns_apart is not used.
// MN-major: boxes of 64 columns by the stage's depth; columns_apart is the distance of two boxes.
__device__ __forceinline__ std::uint64_t operand_descriptor(const void* start,
                                                            std::uint32_t columns_apart_bytes) {
  constexpr std::uint64_t kSwizzle128 = 1ull << 62;
  constexpr std::uint64_t kPatternBytes = 1024;
  return static_cast<std::uint64_t>((shared_address(start) & 0x3FFFF) >> 4) |
         (static_cast<std::uint64_t>(columns_apart_bytes >> 4) << 16) |
         ((kPatternBytes >> 4) << 32) | kSwizzle128;
}

// Descriptor addresses count 16 bytes.
inline constexpr std::uint32_t kDescriptorUnit = 16;

__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_wait_all() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Of a thread: 64 rows by up to 256 columns of a tile, over the 128 threads of a warpgroup.
inline constexpr int kAccumulators = 64 * 256 / 128;

// Keeps the compiler from moving reads and writes of the accumulators across the asynchronous
// products.
template <int kCount>
__device__ __forceinline__ void pin_accumulators(float (&accumulators)[kAccumulators]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) { asm volatile("" : "+f"(accumulators[i])::"memory"); }
}

}  // namespace assay
