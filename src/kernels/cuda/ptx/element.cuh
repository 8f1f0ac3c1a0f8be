// The 16-bit element formats of the kernels.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace assay {

// Two accumulators rounded to the format, the first in the lower half.
template <class Element>
__device__ __forceinline__ std::uint32_t pack_pair(float first, float second);

template <>
__device__ __forceinline__ std::uint32_t pack_pair<__nv_bfloat16>(float first, float second) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

template <>
__device__ __forceinline__ std::uint32_t pack_pair<__half>(float first, float second) {
  std::uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

template <class T>
inline constexpr bool kIsFp32 = false;
template <>
inline constexpr bool kIsFp32<float> = true;

}  // namespace assay
