// DeviceWarp, DeviceBlock, DeviceGrid: the running threads, as the schedule's shared code sees them
// on the GPU. src/kernels/schedule/host_lanes.h says what each function does.
#pragma once

#include <cstdint>

namespace assay {

template <bool kWholeBlock>
struct DeviceLanes {
  static constexpr int kWarpLanes = 32;
  template <class T>
  using Of = T;  // the running thread's value

  template <class Run>
  static __device__ __forceinline__ auto each(Run run) {
    return run(static_cast<int>(kWholeBlock ? threadIdx.x : threadIdx.x % kWarpLanes));
  }
  template <class T>
  static __device__ __forceinline__ const T& own(const T& value, int) {
    return value;
  }

  template <class T, class Combine>
  static __device__ __forceinline__ T scan(T value, Combine combine) {
    const int lane = threadIdx.x % kWarpLanes;
#pragma unroll
    for (int distance = 1; distance < kWarpLanes; distance *= 2) {
      const T before = __shfl_up_sync(~0u, value, distance);
      if (lane >= distance) { value = combine(before, value); }
    }
    return value;
  }
  template <class T>
  static __device__ __forceinline__ T before(const T& value) {
    return __shfl_up_sync(~0u, value, 1);
  }
  template <class T>
  static __device__ __forceinline__ T broadcast(const T& value, int lane) {
    return __shfl_sync(~0u, value, lane);
  }
  static __device__ __forceinline__ unsigned ballot(bool value) {
    return __ballot_sync(~0u, value);
  }
  static __device__ __forceinline__ bool any(bool value) { return __syncthreads_or(value) != 0; }

  static __device__ __forceinline__ void sync() { __syncthreads(); }
  static __device__ __forceinline__ bool is_first_block() { return blockIdx.x == 0; }
  static __device__ __forceinline__ void add(std::int32_t& sum, std::int32_t value) {
    atomicAdd(&sum, value);
  }
  static __device__ __forceinline__ void raise(std::int32_t& most, std::int32_t value) {
    atomicMax(&most, value);
  }
};
using DeviceWarp = DeviceLanes<false>;
using DeviceBlock = DeviceLanes<true>;

struct DeviceGrid {
  static __device__ __forceinline__ std::int32_t block() { return blockIdx.x; }
  static __device__ __forceinline__ std::int32_t blocks() { return gridDim.x; }
  static __device__ __forceinline__ unsigned long long add(unsigned long long& counter,
                                                           unsigned long long amount) {
    return atomicAdd(&counter, amount);
  }
};

}  // namespace assay
