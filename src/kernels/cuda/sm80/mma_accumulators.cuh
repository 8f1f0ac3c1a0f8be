// The accumulators of a tile in registers, and their way from and to memory.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/ptx/element.cuh"
#include "src/kernels/cuda/sm80/mma_work.cuh"

namespace assay {

template <class Config>
using MmaAccumulators = float[Config::kDown][Config::kAcross][4];

// fp32 accumulators from or to memory, two columns a thread: visit(pair of accumulators, address).
template <class Config, class Visit>
__device__ __forceinline__ void visit_fp32(MmaAccumulators<Config>& accumulators,
                                           const MmaArguments& args, const MmaTarget& target,
                                           int warp_row, int warp_col, Visit visit) {
  const int lane = threadIdx.x % 32;
  const std::int32_t first = warp_row + lane / 4, col = warp_col + lane % 4 * 2;
  auto* at = reinterpret_cast<float*>(target.out) + first * args.out_ld + col;
#pragma unroll
  for (int i = 0; i < Config::kDown * 2; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kAcross; ++j) {
      if (first + i * 8 >= target.rows || col + j * 8 >= target.cols) { continue; }
      float(&sum)[4] = accumulators[i / 2][j];
      visit(sum[i % 2 * 2], sum[i % 2 * 2 + 1], reinterpret_cast<float2*>(at + j * 8));
    }
    at += args.out_ld * 8;
  }
}

// A quad's lanes exchange their pairs of four column blocks, so that each holds one block's four.
__device__ __forceinline__ void transpose_in_quad(std::uint32_t (&pairs)[4]) {
  const int lane = threadIdx.x % 4;
#pragma unroll
  for (int distance = 1; distance < 4; distance *= 2) {
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((i & distance) != 0) { continue; }
      const std::uint32_t sent = upper ? pairs[i] : pairs[i + distance];
      const std::uint32_t got = __shfl_xor_sync(~0u, sent, distance);
      if (upper) {
        pairs[i] = got;
      } else {
        pairs[i + distance] = got;
      }
    }
  }
}

// 16-bit output: 16 bytes a thread, 64 contiguous ones a quad.
template <class Config>
__device__ __forceinline__ void store_16_bit(const MmaAccumulators<Config>& accumulators,
                                             const MmaArguments& args, const MmaTarget& target,
                                             int warp_row, int warp_col) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < Config::kDown * 2; ++i) {
#pragma unroll
    for (int block = 0; block < Config::kAcross; block += 4) {
      std::uint32_t pairs[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const auto& sum = accumulators[i / 2][block + j];
        pairs[j] = pack_pair<typename Config::Element>(sum[i % 2 * 2], sum[i % 2 * 2 + 1]);
      }
      transpose_in_quad(pairs);
      const std::int32_t row = warp_row + i * 8 + lane / 4;
      const std::int32_t col = warp_col + block * 8 + lane % 4 * 8;
      if (row >= target.rows || col >= target.cols) { continue; }
      auto* at = reinterpret_cast<std::uint16_t*>(target.out) + row * args.out_ld + col;
      *reinterpret_cast<uint4*>(at) = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
    }
  }
}

template <class Config>
__device__ __forceinline__ void load_accumulators(MmaAccumulators<Config>& accumulators,
                                                  const MmaArguments& args, const MmaTarget& target,
                                                  int warp_row, int warp_col) {
  visit_fp32<Config>(accumulators, args, target, warp_row, warp_col,
                     [](float& a, float& b, float2* at) {
                       const float2 pair = *at;
                       a = pair.x;
                       b = pair.y;
                     });
}

template <class Config>
__device__ __forceinline__ void store_accumulators(MmaAccumulators<Config>& accumulators,
                                                   const MmaArguments& args,
                                                   const MmaTarget& target, int warp_row,
                                                   int warp_col) {
  if constexpr (kIsFp32<typename Config::Out>) {
    visit_fp32<Config>(accumulators, args, target, warp_row, warp_col,
                       [](float& a, float& b, float2* at) { *at = make_float2(a, b); });
  } else {
    store_16_bit<Config>(accumulators, args, target, warp_row, warp_col);
  }
}

}  // namespace assay
