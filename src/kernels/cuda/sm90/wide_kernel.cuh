// wide_kernel: tiles of 128 by 256 outputs, 64 rows of it a warpgroup. Weight gradients: an
// expert's rows are the reduction, both operands MN-major and clipped at the expert's end. Rows:
// the plain form of forward and dX, which the tests compare with rows_kernel.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/ptx/wgmma.cuh"
#include "src/kernels/cuda/ptx/wgmma_multiply.cuh"
#include "src/kernels/cuda/sm90/empty_experts.cuh"
#include "src/kernels/cuda/sm90/epilogue.cuh"
#include "src/kernels/cuda/sm90/schedule.cuh"
#include "src/kernels/schedule/row_tiles.h"

namespace assay {

inline constexpr int kWideRows = 128;
inline constexpr int kWideCols = 256;
// As kStrip of rows_kernel: with tiles of 128 by 256, 132 blocks read the least from strips of 16.
inline constexpr int kWideStrip = 16;
inline constexpr int kMinStrip = 4;

// Row tiles of a strip. A gradient's are as many as one round of the blocks has at full width, so
// that blocks that run together write one contiguous piece of memory.
template <bool kGradient>
__device__ __forceinline__ std::int32_t wide_strip(std::int32_t col_tiles) {
  if constexpr (!kGradient) { return kWideStrip; }
  const std::int32_t rows = static_cast<std::int32_t>(gridDim.x) / col_tiles;
  return rows < kMinStrip ? kMinStrip : rows > kWideStrip ? kWideStrip : rows;
}

enum class WideProduct { kRowsKMajor, kRowsMnMajor, kWeightGradient };

template <class ElementType, class OutType, WideProduct kWhich, int kStageCount, int kBufferCount>
struct WideConfig {
  using Element = ElementType;
  using Out = OutType;
  static constexpr bool kGradient = kWhich == WideProduct::kWeightGradient;
  static constexpr bool kLeftMnMajor = kGradient;
  static constexpr bool kRightMnMajor = kWhich != WideProduct::kRowsKMajor;
  static constexpr int kStages = kStageCount;
  static constexpr bool kFp32Out = kIsFp32<Out>;
  static constexpr int kLeftBytes = kWideRows * kSpanBytes;
  static constexpr int kStageBytes = kLeftBytes + kWideCols * kSpanBytes;
  static_assert(kWideRows == kMathGroups * 64, "64 rows a warpgroup, the instruction's M");
  static_assert(kWideCols <= 256 && kWideCols / 2 == kAccumulators,
                "all columns in one instruction");
  static_assert(kStageBytes % 1024 == 0, "stages start at a whole pattern of the swizzle");
  static constexpr int kBuffers = kBufferCount;
  static constexpr int kStagingBytes = kFp32Out ? 16 : kMathGroups * kBuffers * kBoxBytes;
  // Of one store of zeros by TMA, which other copies wait for: at 4,096 the loads of operands
  // suffer, at 1,024 the one thread that issues them falls behind.
  static constexpr int kZeroBytes = !kGradient ? 16 : kStages < 4 || kFp32Out ? 2048 : 1024;
};

template <class Config>
struct WideShared {
  alignas(1024) std::uint8_t stages[Config::kStages][Config::kStageBytes];
  alignas(1024) std::uint8_t staging[Config::kStagingBytes];
  alignas(128) std::uint8_t zeros[Config::kZeroBytes];
  alignas(16) Control<Config::kStages> control;
};

template <class Config>
__device__ __forceinline__ void load_wide_stage(const WideArguments& args, const TileRecord& tile,
                                                int step, std::uint8_t* left,
                                                SharedBarrier* full_barrier) {
  std::uint8_t* right = left + Config::kLeftBytes;
  const std::int32_t depth = step * kBlockK, end = tile.row + tile.live;
  if constexpr (Config::kGradient) {
    for (int i = 0; i < kWideRows / 64; ++i) {
      tma_load_ragged(left + i * kBoxBytes, &args.left, full_barrier, tile.out_row + 64 * i, depth,
                      tile.live, end);
    }
    for (int i = 0; i < kWideCols / 64; ++i) {
      tma_load_ragged(right + i * kBoxBytes, &args.right, full_barrier, tile.col + 64 * i, depth,
                      tile.live, end);
    }
  } else {
    for (int i = 0; i < kWideRows / 64; ++i) {
      tma_load_ragged(left + i * kBoxBytes, &args.left, full_barrier, depth, 64 * i, tile.live,
                      end);
    }
    if constexpr (Config::kRightMnMajor) {
      for (int i = 0; i < kWideCols / 64; ++i) {
        tma_load(right + i * kBoxBytes, &args.right, full_barrier, tile.col + 64 * i, depth,
                 tile.expert);
      }
    } else {
      tma_load(right, &args.right, full_barrier, depth, tile.col, tile.expert);
    }
  }
}

template <class Config>
__device__ __forceinline__ void load_wide(const WideArguments& args, WideShared<Config>& shared) {
  RingPlace<Config::kStages> place;
  TileReader reader;
  TileRecord tile;
  while (reader.next_as_read(shared.control.tiles, tile)) {
    for (int step = 0; step < tile.steps; ++step) {
      barrier_wait(&shared.control.stages.empty[place.slot], place.parity ^ 1);
      if (elect_one()) {
        SharedBarrier* full_barrier = &shared.control.stages.full[place.slot];
        barrier_arrive_expect_tx(full_barrier, Config::kStageBytes);
        load_wide_stage<Config>(args, tile, step, shared.stages[place.slot], full_barrier);
      }
      __syncwarp();
      place.advance();
    }
  }
}

template <class Config>
__device__ __forceinline__ void schedule_wide(const WideArguments& args, const GroupTable* groups,
                                              Control<Config::kStages>& control) {
  const std::int32_t strip = wide_strip<Config::kGradient>(ceil_div(args.cols, kWideCols));
  const FixedTiles<kWideRows, kWideCols> tiles(args.cols, strip);
  const std::int32_t gradient_tiles = tiles(args.out_rows);
  publish_tiles(
      args.schedule, args.offsets, groups, control.tiles,
      [&](std::int32_t rows) {
        if (!Config::kGradient) { return tiles(rows); }
        return rows > 0 ? gradient_tiles : 0;  // the spare warps zero the others
      },
      [&](const DeviceWalk& walk, std::int32_t local) {
        const std::int32_t rows = walk.rows();
        const OutputTile tile = tiles.tile(Config::kGradient ? args.out_rows : rows, local);
        if constexpr (Config::kGradient) {
          const std::int32_t last = (rows - 1) % kBlockK / kInstructionK + 1;
          return TileRecord{walk.expert(), tile.rows.first,         tile.col, walk.first_row(), 0,
                            rows,          ceil_div(rows, kBlockK), last};
        } else {
          return TileRecord{walk.expert(), 0,
                            tile.col,      walk.first_row() + tile.rows.first,
                            kWideRows,     tile.rows.live,
                            args.k_blocks, kBlockK / kInstructionK};
        }
      });
}

// One stage's products: kSteps matrix instructions, one after another in the reduction.
template <class Config, int kSteps>
__device__ __forceinline__ void multiply_stage(float (&accumulators)[kAccumulators],
                                               std::uint64_t left, std::uint64_t right, int keep) {
  constexpr int kLeftMn = Config::kLeftMnMajor ? 1 : 0, kRightMn = Config::kRightMnMajor ? 1 : 0;
  constexpr std::uint32_t kLeftStep = kLeftMn != 0 ? kMnMajorStep : kKMajorStep;
  constexpr std::uint32_t kRightStep = kRightMn != 0 ? kMnMajorStep : kKMajorStep;
  pin_accumulators<kAccumulators>(accumulators);
  wgmma_fence();
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
    wgmma_multiply<typename Config::Element, kWideCols, kLeftMn, kRightMn>(
        accumulators, left + k * kLeftStep, right + k * kRightStep, (keep | k) != 0);
  }
  wgmma_commit();
  pin_accumulators<kAccumulators>(accumulators);
}

// The accumulators of one tile, on top of those in `accumulators` when `keep` is 1; step(i) is
// called in every step.
template <class Config, class Step>
__device__ __forceinline__ void multiply_wide(float (&accumulators)[kAccumulators], int keep,
                                              const TileRecord& tile, std::uint64_t left_0,
                                              std::uint64_t right_0, Ring<Config::kStages>& ring,
                                              RingPlace<Config::kStages>& place, Step step) {
  constexpr int kWhole = kBlockK / kInstructionK;
  static_assert(kWhole == 4, "the last stage's lengths are written out below");
  for (int i = 0; i < tile.steps; ++i) {
    barrier_wait(&ring.full[place.slot], place.parity);
    const std::uint32_t stage = place.slot * (Config::kStageBytes / kDescriptorUnit);
    const std::uint64_t left = left_0 + stage, right = right_0 + stage;
    // An expert's rows may end within its last stage.
    const int count = i + 1 < tile.steps ? kWhole : tile.last;
    if (!Config::kGradient || count == kWhole) {
      multiply_stage<Config, kWhole>(accumulators, left, right, keep | i);
    } else if (count == 1) {
      multiply_stage<Config, 1>(accumulators, left, right, keep | i);
    } else if (count == 2) {
      multiply_stage<Config, 2>(accumulators, left, right, keep | i);
    } else {
      multiply_stage<Config, 3>(accumulators, left, right, keep | i);
    }
    step(i);
    wgmma_wait_all();
    if (threadIdx.x % 32 == 0) { barrier_arrive(&ring.empty[place.slot]); }
    place.advance();
  }
  pin_accumulators<kAccumulators>(accumulators);
}

// Where a warpgroup's fp32 accumulators lie: pairs of columns, 8 rows and 8 columns a register
// quadruple.
struct Fp32Place {
  float* out = nullptr;  // of accumulators[0]
  Index ld = 0;
  std::int32_t rows = 0;  // rows and columns that exist, from there on
  std::int32_t cols = 0;
};

template <class Config>
__device__ __forceinline__ Fp32Place fp32_place(const WideArguments& args, const TileRecord& tile,
                                                int group) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kGroupThreads / 32;
  const std::int32_t row = group * 64 + warp * 16 + lane / 4, col = tile.col + lane % 4 * 2;
  float* out = static_cast<float*>(args.out_data) + col;
  if constexpr (Config::kGradient) {
    out += tile.expert * args.out_pitch + (tile.out_row + row) * args.out_ld;
    return {out, args.out_ld, args.out_rows - tile.out_row - row, args.cols - col};
  } else {
    out += (tile.row + row) * args.out_ld;
    return {out, args.out_ld, tile.live - row, args.cols - col};
  }
}

__device__ __forceinline__ void load_accumulators(float (&accumulators)[kAccumulators],
                                                  const Fp32Place& place) {
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const std::int32_t row = i % 2 * 8, col = i / 2 * 8;
    float2 pair = make_float2(0, 0);
    if (row < place.rows && col < place.cols) {
      pair = *reinterpret_cast<const float2*>(place.out + row * place.ld + col);
    }
    accumulators[2 * i] = pair.x;
    accumulators[2 * i + 1] = pair.y;
  }
}

__device__ __forceinline__ void store_accumulators(const float (&accumulators)[kAccumulators],
                                                   const Fp32Place& place) {
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const std::int32_t row = i % 2 * 8, col = i / 2 * 8;
    if (row < place.rows && col < place.cols) {
      *reinterpret_cast<float2*>(place.out + row * place.ld + col) =
          make_float2(accumulators[2 * i], accumulators[2 * i + 1]);
    }
  }
}

template <class Config>
__device__ __forceinline__ void multiply_all_wide(const WideArguments& args,
                                                  WideShared<Config>& shared, int group) {
  constexpr std::uint32_t kLeftApart = Config::kLeftMnMajor ? kBoxBytes : 16;
  constexpr std::uint32_t kRightApart = Config::kRightMnMajor ? kBoxBytes : 16;
  const std::uint64_t left = operand_descriptor(shared.stages[0] + group * kBoxBytes, kLeftApart);
  const std::uint64_t right =
      operand_descriptor(shared.stages[0] + Config::kLeftBytes, kRightApart);
  StagingBuffers<Config::kBuffers> buffers(
      shared.staging + group * (Config::kFp32Out ? 0 : Config::kBuffers * kBoxBytes), group);
  RingPlace<Config::kStages> place;
  TileReader reader;
  TileRecord tile, pending{};
  bool waiting = false;
  float accumulators[kAccumulators];
  std::uint32_t packed[kPackedCount];
  auto store = [&](auto chunk) {
    constexpr int kChunk = decltype(chunk)::value;
    std::uint8_t* buffer = buffers.template acquire<kChunk>();
    write_chunk<kChunk>(packed, buffer);
    buffers.written();
    if (!buffers.leads()) { return; }
    const std::int32_t col = pending.col + kChunk * 64, row = group * 64;
    if constexpr (Config::kGradient) {
      tma_store(&args.out, buffer, col, pending.out_row + row, pending.expert);
    } else if (row < pending.live) {
      tma_store_ragged(&args.out, buffer, col, row, pending.live, pending.row + pending.live);
    }
    tma_store_commit();
  };
  while (reader.next(shared.control.tiles, tile)) {
    if constexpr (Config::kFp32Out) {
      const Fp32Place to = fp32_place<Config>(args, tile, group);
      const int keep = Config::kGradient ? args.accumulate : 0;
      if (keep != 0) { load_accumulators(accumulators, to); }
      multiply_wide<Config>(accumulators, keep, tile, left, right, shared.control.stages, place,
                            [](int) {});
      store_accumulators(accumulators, to);
    } else {
      multiply_wide<Config>(accumulators, 0, tile, left, right, shared.control.stages, place,
                            [&](int step) { store_chunk_of_step(step, waiting, store); });
      if (waiting) { store_chunks_from(tile.steps, store); }
      pack_accumulators<typename Config::Element>(accumulators, packed);
      pending = tile;
      waiting = true;
    }
  }
  if constexpr (!Config::kFp32Out) {
    if (waiting) { store_chunks_from(0, store); }
    buffers.finish();
  }
}

template <class Config>
__global__ void __launch_bounds__(kBlockThreads, 1)
    wide_kernel(const __grid_constant__ WideArguments args) {
  static_assert(sizeof(WideShared<Config>) <= kSharedLimit);
  extern __shared__ __align__(1024) std::uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<WideShared<Config>*>(shared_bytes);
  const GroupTable* groups =
      open_block(args.offsets, false, shared.control, [](std::int32_t) { return 0; });
  const int warp = warp_index();
  if (warp >= kMathWarps) {
    setmaxnreg_dec<kLoadRegisters>();
    if (warp == kLoadWarp) { load_wide<Config>(args, shared); }
    if (warp == kScheduleWarp) { schedule_wide<Config>(args, groups, shared.control); }
    if (Config::kGradient && warp >= kSpareWarp && args.accumulate == 0) {
      zero_empty_experts<Config::kZeroBytes>(args, groups, shared.zeros, warp - kSpareWarp);
    }
  } else {
    setmaxnreg_inc<kMathRegisters>();
    multiply_all_wide<Config>(args, shared, warp / (kMathWarps / kMathGroups));
  }
}

}  // namespace assay
