// Launching one instantiated kernel.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/kernels/cuda/sm90/geometry.cuh"
#include "src/kernels/cuda/sm90/launch.cuh"

namespace assay {

// `allowed`: the devices on which the kernel may use this much shared memory already.
template <class Arguments>
cudaError_t launch_kernel(void (*kernel)(Arguments), std::size_t shared_bytes,
                          std::atomic<std::uint64_t>& allowed, const LaunchPlan& plan,
                          const Arguments& args) {
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) { return error; }
  const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
  if ((allowed.load(std::memory_order_relaxed) & bit) == 0) {
    const cudaError_t error = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
    if (error != cudaSuccess) { return error; }
    allowed.fetch_or(bit, std::memory_order_relaxed);
  }
  kernel<<<static_cast<unsigned>(plan.blocks), kBlockThreads, shared_bytes, plan.stream>>>(args);
  return cudaGetLastError();
}

}  // namespace assay
