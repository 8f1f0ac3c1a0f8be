// The instantiations of mma_kernel for one element.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/kernels/cuda/sm80/mma_kernel.cuh"

namespace assay {

// One block a multiprocessor, with as many stages as the device's shared memory holds: found on the
// first launch there.
template <class Config>
cudaError_t launch_mma_config(const MmaPlan& plan, MmaArguments args) {
  static_assert(mma_shared_bytes<Config>(kMinStages) <= kMinSharedLimit);
  constexpr int kDevices = 64;
  static std::atomic<int> stages_on[kDevices];
  const auto kernel = mma_kernel<Config>;
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) { return error; }
  args.stages = device < kDevices ? stages_on[device].load(std::memory_order_relaxed) : 0;
  if (args.stages == 0) {
    int limit = 0;
    cudaError_t error =
        cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) { return error; }
    args.stages = mma_shared_bytes<Config>(kMaxStages) <= limit ? kMaxStages : kMinStages;
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 mma_shared_bytes<Config>(args.stages));
    if (error != cudaSuccess) { return error; }
    if (device < kDevices) { stages_on[device].store(args.stages, std::memory_order_relaxed); }
  }
  kernel<<<static_cast<unsigned>(plan.multiprocessors), kMmaThreads,
           mma_shared_bytes<Config>(args.stages), plan.stream>>>(args);
  return cudaGetLastError();
}

template <class Element, class Out, MmaProduct kProduct>
cudaError_t launch_mma_height(const MmaPlan& plan, const MmaArguments& args) {
  return plan.tall ? launch_mma_config<MmaConfig<Element, Out, kProduct, 128>>(plan, args)
                   : launch_mma_config<MmaConfig<Element, Out, kProduct, 64>>(plan, args);
}

template <class Element, class Out>
cudaError_t launch_mma_out(const MmaPlan& plan, const MmaArguments& args) {
  if (plan.gradient) { return launch_mma_height<Element, Out, MmaProduct::kGradient>(plan, args); }
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
