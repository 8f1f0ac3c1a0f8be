// mma_kernel: the three products on mma.sync, for Ampere and later. Persistent blocks take every
// gridDim-th tile; each warp finds it from the offsets by itself.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/expert_walk.cuh"
#include "src/kernels/cuda/ptx/element.cuh"
#include "src/kernels/cuda/row_tiles.h"
#include "src/kernels/cuda/sm80/arguments.cuh"
#include "src/kernels/cuda/sm80/mma_tile.cuh"

namespace assay {

inline constexpr int kMmaStrip = 16;

enum class MmaProduct { kRowsKMajor, kRowsMnMajor, kGradient };

template <class ElementType, class OutType, MmaProduct kWhich, int kTileRows>
struct MmaConfig {
  using Element = ElementType;
  using Out = OutType;
  static constexpr bool kGradient = kWhich == MmaProduct::kGradient;
  static constexpr int kRows = kTileRows;
  static constexpr int kStages = 3;
  using Left = MmaTile<kRows, kGradient>;
  using Right = MmaTile<kMmaCols, kWhich != MmaProduct::kRowsKMajor>;
  static constexpr int kStageBytes = Left::kBytes + Right::kBytes;
  static constexpr int kStepsAStage = kMmaDepth / 16;
  // Eight warps: two down, four across.
  static constexpr int kWarpRows = kRows / 2, kWarpCols = kMmaCols / 4;
  static constexpr int kDown = kWarpRows / 16, kAcross = kWarpCols / 8;
};

template <class Config>
struct MmaShared {
  alignas(128) std::uint8_t stages[Config::kStages][Config::kStageBytes];
  alignas(16) GroupTable groups;
};

template <class Config>
using MmaSums = float[Config::kDown][Config::kAcross][4];

// What one tile reads and writes.
struct MmaWork {
  MmaSource left, right;
  std::int32_t steps;
  std::uint8_t* out;        // of the tile's first row and column
  std::int32_t rows, cols;  // of the tile that exist
};

template <class Config>
__device__ inline MmaWork describe_work(const MmaArguments& args, const ExpertWalk& walk,
                                        std::int32_t flat) {
  constexpr Index kOutBytes = sizeof(typename Config::Out);
  const auto* left = static_cast<const std::uint16_t*>(args.left.data);
  const auto* right = static_cast<const std::uint16_t*>(args.right.data);
  const Index out_rows = Config::kGradient ? args.out_rows : walk.rows();
  const std::int32_t row_tiles = ceil_div(static_cast<std::int32_t>(out_rows), Config::kRows);
  const TilePlace place =
      place_in_strips(walk.local(flat), row_tiles, ceil_div(args.cols, kMmaCols), kMmaStrip);
  const std::int32_t row = place.row_tile * Config::kRows, col = place.col_tile * kMmaCols;
  const std::int32_t rows = static_cast<std::int32_t>(out_rows) - row, cols = args.cols - col;
  auto* out = static_cast<std::uint8_t*>(args.out);
  const Index first = walk.first_row();
  if constexpr (Config::kGradient) {
    return {{left + first * args.left.ld + row, args.left.ld, rows, walk.rows()},
            {right + first * args.right.ld + col, args.right.ld, cols, walk.rows()},
            ceil_div(walk.rows(), kMmaDepth),
            out + (walk.expert() * args.out_pitch + row * args.out_ld + col) * kOutBytes,
            rows,
            cols};
  } else {
    right += walk.expert() * args.right.pitch;
    right += Config::Right::kMn ? Index{col} : col * args.right.ld;
    return {{left + (first + row) * args.left.ld, args.left.ld, rows, args.depth},
            {right, args.right.ld, cols, args.depth},
            ceil_div(args.depth, kMmaDepth),
            out + ((first + row) * args.out_ld + col) * kOutBytes,
            rows,
            cols};
  }
}

template <class Config>
__device__ __forceinline__ void load_stage(MmaShared<Config>& shared, const MmaWork& work,
                                           int step) {
  if (step < work.steps) {
    std::uint8_t* stage = shared.stages[step % Config::kStages];
    Config::Left::load(stage, work.left, step * kMmaDepth);
    Config::Right::load(stage + Config::Left::kBytes, work.right, step * kMmaDepth);
  }
  commit_copies();  // a group a step, empty past the end
}

template <class Config>
__device__ __forceinline__ void multiply_stage(MmaSums<Config>& sums, std::uint8_t* stage,
                                               int warp_row, int warp_col) {
#pragma unroll
  for (int k = 0; k < kMmaDepth; k += 16) {
    std::uint32_t left[Config::kDown][4], right[Config::kAcross / 2][4];
#pragma unroll
    for (int i = 0; i < Config::kDown; ++i) {
      Config::Left::read_left(left[i], stage, warp_row + i * 16, k);
    }
#pragma unroll
    for (int j = 0; j < Config::kAcross / 2; ++j) {
      Config::Right::read_right(right[j], stage + Config::Left::kBytes, warp_col + j * 16, k);
    }
#pragma unroll
    for (int i = 0; i < Config::kDown; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kAcross; ++j) {
        multiply_16x8<typename Config::Element>(sums[i][j], left[i], right[j / 2][j % 2 * 2],
                                                right[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

// fp32 sums from or to memory, two columns a thread: visit(pair of sums, address).
template <class Config, class Visit>
__device__ __forceinline__ void visit_fp32(MmaSums<Config>& sums, const MmaArguments& args,
                                           const MmaWork& work, int warp_row, int warp_col,
                                           Visit visit) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < Config::kDown; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kAcross; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int32_t row = warp_row + i * 16 + half * 8 + lane / 4;
        const std::int32_t col = warp_col + j * 8 + lane % 4 * 2;
        if (row >= work.rows || col >= work.cols) continue;
        float* at = reinterpret_cast<float*>(work.out) + row * args.out_ld + col;
        visit(sums[i][j][half * 2], sums[i][j][half * 2 + 1], reinterpret_cast<float2*>(at));
      }
    }
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
      if ((i & distance) != 0) continue;
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
__device__ __forceinline__ void store_16_bit(const MmaSums<Config>& sums, const MmaArguments& args,
                                             const MmaWork& work, int warp_row, int warp_col) {
  static_assert(Config::kAcross == 4);
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < Config::kDown; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      std::uint32_t pairs[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        pairs[j] =
            pack_pair<typename Config::Element>(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
      }
      transpose_in_quad(pairs);
      const std::int32_t row = warp_row + i * 16 + half * 8 + lane / 4;
      const std::int32_t col = warp_col + lane % 4 * 8;
      if (row >= work.rows || col >= work.cols) continue;
      auto* at = reinterpret_cast<std::uint16_t*>(work.out) + row * args.out_ld + col;
      *reinterpret_cast<uint4*>(at) = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
    }
  }
}

template <class Config>
__device__ __forceinline__ void multiply_tile(MmaShared<Config>& shared, const MmaArguments& args,
                                              const MmaWork& work) {
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 4 * Config::kWarpRows, warp_col = warp % 4 * Config::kWarpCols;
  MmaSums<Config> sums{};
#pragma unroll
  for (int step = 0; step < Config::kStages - 1; ++step) load_stage(shared, work, step);
  if constexpr (kIsFp32<typename Config::Out>) {
    if (args.accumulate != 0) {
      visit_fp32<Config>(sums, args, work, warp_row, warp_col, [](float& a, float& b, float2* at) {
        const float2 pair = *at;
        a = pair.x;
        b = pair.y;
      });
    }
  }
  for (int step = 0; step < work.steps; ++step) {
    wait_copies<Config::kStages - 2>();
    __syncthreads();  // the stage has landed, and the one before it is free
    load_stage(shared, work, step + Config::kStages - 1);
    multiply_stage<Config>(sums, shared.stages[step % Config::kStages], warp_row, warp_col);
  }
  wait_copies<0>();
  __syncthreads();
  if constexpr (kIsFp32<typename Config::Out>) {
    visit_fp32<Config>(sums, args, work, warp_row, warp_col,
                       [](float& a, float& b, float2* at) { *at = make_float2(a, b); });
  } else {
    store_16_bit<Config>(sums, args, work, warp_row, warp_col);
  }
}

template <class Config>
__global__ void __launch_bounds__(kMmaThreads)
    mma_kernel(const __grid_constant__ MmaArguments args) {
  extern __shared__ __align__(128) std::uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<MmaShared<Config>*>(shared_bytes);
  const bool fits = args.offsets.experts <= kTableExperts;
  if (fits) read_groups(args.offsets, shared.groups);
  const std::int32_t col_tiles = ceil_div(args.cols, kMmaCols);
  const std::int32_t fixed_row_tiles = ceil_div(args.out_rows, Config::kRows);
  // A gradient's tiles are written for experts without rows too, unless they keep what is there.
  auto tiles_of = [&](std::int32_t rows) {
    if (!Config::kGradient) return ceil_div(rows, Config::kRows) * col_tiles;
    return rows > 0 || args.accumulate == 0 ? fixed_row_tiles * col_tiles : 0;
  };
  ExpertWalk walk(args.offsets, fits ? &shared.groups : nullptr, false, false);
  const auto blocks = static_cast<std::int32_t>(gridDim.x);
  for (auto flat = static_cast<std::int32_t>(blockIdx.x); walk.seek(flat, tiles_of);
       flat += blocks) {
    multiply_tile<Config>(shared, args, describe_work<Config>(args, walk, flat));
  }
}

}  // namespace assay
