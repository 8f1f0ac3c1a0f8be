// The instantiations of mma_kernel for one element.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/kernels/cuda/sm80/mma_kernel.cuh"

namespace assay {

// Blocks that fit a device's multiprocessors at once, found on the first launch there.
template <class Config>
cudaError_t launch_mma_config(const MmaPlan& plan, const MmaArguments& args) {
  constexpr int kDevices = 64;
  constexpr int kSharedBytes = static_cast<int>(sizeof(MmaShared<Config>));
  static std::atomic<int> blocks_an_sm[kDevices];
  const auto kernel = mma_kernel<Config>;
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  int blocks = device < kDevices ? blocks_an_sm[device].load(std::memory_order_relaxed) : 0;
  if (blocks == 0) {
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
    if (error != cudaSuccess) return error;
    error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kMmaThreads, kSharedBytes);
    if (error != cudaSuccess) return error;
    if (blocks == 0) return cudaErrorInvalidConfiguration;
    if (device < kDevices) blocks_an_sm[device].store(blocks, std::memory_order_relaxed);
  }
  kernel<<<static_cast<unsigned>(blocks * plan.multiprocessors), kMmaThreads, kSharedBytes,
           plan.stream>>>(args);
  return cudaGetLastError();
}

template <class Element, class Out, MmaProduct kProduct>
cudaError_t launch_mma_height(const MmaPlan& plan, const MmaArguments& args) {
  return plan.tall ? launch_mma_config<MmaConfig<Element, Out, kProduct, 128>>(plan, args)
                   : launch_mma_config<MmaConfig<Element, Out, kProduct, 64>>(plan, args);
}

template <class Element, class Out>
cudaError_t launch_mma_out(const MmaPlan& plan, const MmaArguments& args) {
  if (plan.gradient) return launch_mma_height<Element, Out, MmaProduct::kGradient>(plan, args);
  return plan.weights_transposed
             ? launch_mma_height<Element, Out, MmaProduct::kRowsMnMajor>(plan, args)
             : launch_mma_height<Element, Out, MmaProduct::kRowsKMajor>(plan, args);
}

template <class Element>
cudaError_t launch_mma(const MmaPlan& plan, const MmaArguments& args) {
  return plan.fp32_out ? launch_mma_out<Element, float>(plan, args)
                       : launch_mma_out<Element, Element>(plan, args);
}

}  // namespace assay
