// Barriers in shared memory (mbarrier) and among warps of a block, and what else steers warps.
// Source: PTX ISA, chapters on mbarrier, barrier, elect.sync and setmaxnreg.
#pragma once

#include <cstdint>

#include <cuda/ptx>

namespace assay {

using SharedBarrier = std::uint64_t;  // in shared memory

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void barrier_init(SharedBarrier* barrier, std::uint32_t arrivals) {
  cuda::ptx::mbarrier_init(barrier, arrivals);
}

// Makes initialised barriers visible to TMA; a block-wide barrier has to follow.
__device__ __forceinline__ void barrier_init_fence() {
  cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
}

__device__ __forceinline__ void barrier_arrive(SharedBarrier* barrier) {
  cuda::ptx::mbarrier_arrive(barrier);
}

// One arrival that also announces `bytes` of copies; the phase ends when they have landed.
__device__ __forceinline__ void barrier_arrive_expect_tx(SharedBarrier* barrier,
                                                         std::uint32_t bytes) {
  cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                       cuda::ptx::space_shared, barrier, bytes);
}

// Waits for the end of the phase with this parity. A fresh barrier's phase before the first, of
// parity 1, counts as ended. The loop lies within the assembly: around a loop of C++ the compiler
// takes the warp's threads for diverged, and moves descriptors out of the uniform registers.
__device__ __forceinline__ void barrier_wait(SharedBarrier* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again_%=:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again_%=;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// Barrier `id` (1 to 15) of `threads` threads, whole warps.
__device__ __forceinline__ void named_barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// True in one lane of a converged warp.
__device__ __forceinline__ bool elect_one() {
  std::uint32_t elected;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.b32 %0, 1, 0, p;\n}"
               : "=r"(elected));
  return elected != 0;
}

template <int kRegisters>
__device__ __forceinline__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

}  // namespace assay
