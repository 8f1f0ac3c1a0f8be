// Copies between global and shared memory by the Tensor Memory Accelerator (TMA).
// Source: PTX ISA, cp.async.bulk and cp.async.bulk.tensor.
#pragma once

#include <cstdint>

#include <cuda.h>
#include <cuda/ptx>

#include "src/kernels/cuda/ptx/barrier.cuh"

namespace assay {

// Loads one box of a matrix stack {col, row, matrix}; elements outside the tensor read as zero.
__device__ __forceinline__ void tma_load(void* to, const CUtensorMap* map,
                                         SharedBarrier* full_barrier, int col, int row,
                                         int matrix) {
  const std::int32_t at[3] = {col, row, matrix};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, to, map, at,
                                  full_barrier);
}

__device__ __forceinline__ std::uint64_t evict_first_policy() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// The same for data that is read once: L2 drops it first.
__device__ __forceinline__ void tma_load_evict_first(void* to, const CUtensorMap* map,
                                                     SharedBarrier* full_barrier, int col, int row,
                                                     int matrix, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(full_barrier)), "r"(col), "r"(row), "r"(matrix), "l"(policy)
      : "memory");
}

// A ragged map (tensor_map.h) clips at any group's end. Rows `from`, ... of the group whose
// `length` rows end before row `end`: rows at or past the length read as zero and are not stored.
inline constexpr int kRaggedRows = 1 << 30;

__device__ __forceinline__ void tma_load_ragged(void* to, const CUtensorMap* map,
                                                SharedBarrier* full_barrier, int col, int from,
                                                int length, int end) {
  const std::int32_t at[4] = {col, kRaggedRows - length + from, kRaggedRows, end};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, to, map, at,
                                  full_barrier);
}

__device__ __forceinline__ void tma_store_ragged(const CUtensorMap* map, const void* from_shared,
                                                 int col, int from, int length, int end) {
  const std::int32_t at[4] = {col, kRaggedRows - length + from, kRaggedRows, end};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_global, cuda::ptx::space_shared, map, at,
                                  from_shared);
}

__device__ __forceinline__ void tma_store(const CUtensorMap* map, const void* from_shared, int col,
                                          int row, int matrix) {
  const std::int32_t at[3] = {col, row, matrix};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_global, cuda::ptx::space_shared, map, at,
                                  from_shared);
}

// `bytes`: a multiple of 16.
__device__ __forceinline__ void bulk_store(void* to, const void* from_shared, std::uint32_t bytes) {
  cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to, from_shared,
                           bytes);
}

// The stores since the last call become one group of this thread.
__device__ __forceinline__ void tma_store_commit() { cuda::ptx::cp_async_bulk_commit_group(); }

// Waits until all but the newest kGroups groups of this thread have read their shared memory.
template <int kGroups>
__device__ __forceinline__ void tma_store_wait_read() {
  cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<kGroups>());
}
template <int kGroups>
__device__ __forceinline__ void tma_store_wait() {
  cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<kGroups>());
}

// Orders this thread's ordinary writes to shared memory before TMA's reads.
__device__ __forceinline__ void fence_proxy_async() {
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
}

}  // namespace assay
