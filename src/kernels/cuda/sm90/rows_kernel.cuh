// rows_kernel: forward and dX. An expert's rows lie along the columns of the matrix instruction, in
// tiles of 16 to kMaxRows rows as its count needs, and 128 of the output's columns along its rows.
// The accumulators are the output transposed; stmatrix turns them back.
#pragma once

#include <cstdint>
#include <utility>

#include "src/kernels/cuda/ptx/wgmma.cuh"
#include "src/kernels/cuda/ptx/wgmma_multiply.cuh"
#include "src/kernels/cuda/sm90/epilogue.cuh"
#include "src/kernels/cuda/sm90/schedule.cuh"
#include "src/kernels/schedule/row_tiles.h"

namespace assay {

// Output columns of a tile: a warpgroup has 64 of them as the rows of its matrix instruction.
inline constexpr int kRowsCols = kMathGroups * 64;

template <class ElementType, class OutType, bool kMnMajor, int kMax, int kStageCount>
struct RowsConfig {
  using Element = ElementType;
  using Out = OutType;
  static constexpr bool kWeightsMnMajor = kMnMajor;  // output columns contiguous, not the reduction
  static constexpr int kMaxRows = kMax;
  static constexpr int kStages = kStageCount;
  static constexpr bool kFp32Out = kIsFp32<Out>;
  static constexpr int kWeightBytes = kRowsCols * kSpanBytes;
  static constexpr int kStageBytes = kWeightBytes + kMaxRows * kSpanBytes;
  static constexpr int kBuffers = 2;
  static constexpr int kStagingBytes = kFp32Out ? 16 : kMathGroups * kBuffers * kBoxBytes;
  static_assert(kMaxRows % kHeightUnit == 0, "a tile's height is a step of the instruction's N");
  static_assert(kMaxRows <= 256 && kMaxRows / 2 <= kAccumulators, "N is at most 256");
  static_assert(kStageBytes % 1024 == 0, "stages start at a whole pattern of the swizzle");
  // A small tile's stage takes two blocks of K: the second one's rows lie after the first one's,
  // its weights after both. Up to 64 rows, two blocks are as large as one of 256 rows; fewer and
  // larger stages halve the waits of tiles whose products are short.
  static constexpr bool kPairs = kMaxRows == 256;
  static constexpr int kPairHeight = 64;
  static_assert(kPairHeight * kSpanBytes <= kBoxBytes,
                "the first block's rows end at the second's");
  static_assert(!kPairs || 2 * (kWeightBytes + kBoxBytes) <= kStageBytes, "a pair fits in a stage");
  static constexpr bool kStreamsWeights = kMaxRows <= 64;  // read once: few rows
  // 2,048 rows. Of 132 blocks at work on a strip of r row tiles, about 132 / r share a row tile's
  // rows and r share a column tile's weights: for tiles of 256 by 128, r = 8 reads the least.
  static constexpr int kStrip = 2048 / kMaxRows;
};

template <class Config>
using RowsTiles = EvenTiles<Config::kMaxRows, kRowsCols, Config::kStrip>;

template <class Config>
struct RowsShared {
  alignas(1024) std::uint8_t stages[Config::kStages][Config::kStageBytes];
  alignas(1024) std::uint8_t staging[Config::kStagingBytes];
  alignas(16) Control<Config::kStages> control;
};

// The output of one tile, still in a warpgroup's registers.
struct PendingRows {
  std::int32_t col = 0, height = 0, live = 0, end_row = 0;
  bool waiting = false;
};

template <class Config>
__device__ __forceinline__ bool in_pairs(std::int32_t height) {
  return Config::kPairs && height <= Config::kPairHeight;
}

// One block of the reduction: 128 columns of weights and the tile's rows.
template <class Config>
__device__ __forceinline__ void load_rows_block(const RowsArguments& args, const TileRecord& tile,
                                                std::int32_t depth, std::uint8_t* weights,
                                                std::uint8_t* rows, SharedBarrier* full_barrier,
                                                std::uint64_t policy) {
  auto load_weights = [&](std::uint8_t* to, int col, int row) {
    if constexpr (Config::kStreamsWeights) {
      tma_load_evict_first(to, &args.weights, full_barrier, col, row, tile.expert, policy);
    } else {
      tma_load(to, &args.weights, full_barrier, col, row, tile.expert);
    }
  };
  if constexpr (Config::kWeightsMnMajor) {
    load_weights(weights, tile.col, depth);
    load_weights(weights + kBoxBytes, tile.col + 64, depth);
  } else {
    load_weights(weights, depth, tile.col);
  }
  const std::int32_t end = tile.row + tile.live;
  if (tile.height == args.full_height) {
    tma_load_ragged(rows, &args.full_rows, full_barrier, depth, 0, tile.live, end);
    return;
  }
  std::int32_t row = 0;
  for (; row + 64 <= tile.height; row += 64) {
    tma_load_ragged(rows + row * kSpanBytes, &args.tall_rows, full_barrier, depth, row, tile.live,
                    end);
  }
  for (; row < tile.height; row += 16) {
    tma_load_ragged(rows + row * kSpanBytes, &args.short_rows, full_barrier, depth, row, tile.live,
                    end);
  }
}

template <class Config>
__device__ __forceinline__ void load_rows(const RowsArguments& args, RowsShared<Config>& shared) {
  const std::uint64_t policy = Config::kStreamsWeights ? evict_first_policy() : 0;
  RingPlace<Config::kStages> place;
  TileReader reader;
  TileRecord tile;
  while (reader.next_as_read(shared.control.tiles, tile)) {
    const int blocks = in_pairs<Config>(tile.height) ? 2 : 1;
    for (std::int32_t block = 0; block < args.k_blocks; block += blocks) {
      barrier_wait(&shared.control.stages.empty[place.slot], place.parity ^ 1);
      if (elect_one()) {
        SharedBarrier* full_barrier = &shared.control.stages.full[place.slot];
        std::uint8_t* weights = shared.stages[place.slot];
        std::uint8_t* rows = weights + Config::kWeightBytes;
        barrier_arrive_expect_tx(full_barrier,
                                 blocks * (Config::kWeightBytes + tile.height * kSpanBytes));
        load_rows_block<Config>(args, tile, block * kBlockK, weights, rows, full_barrier, policy);
        if (blocks == 2) {
          load_rows_block<Config>(args, tile, (block + 1) * kBlockK, rows + 2 * kBoxBytes,
                                  rows + kBoxBytes, full_barrier, policy);
        }
      }
      __syncwarp();
      place.advance();
    }
  }
}

template <class Config>
__device__ __forceinline__ void schedule_rows(const RowsArguments& args, const GroupTable* groups,
                                              Control<Config::kStages>& control) {
  const RowsTiles<Config> tiles(args.cols);
  Schedule schedule = args.schedule;
  if (schedule.order == TileOrder::kTwoEnded && groups != nullptr && !groups->is_ranked()) {
    schedule.order = TileOrder::kQueue;
  }
  publish_tiles(schedule, args.offsets, groups, control.tiles, tiles,
                [&](const DeviceWalk& walk, std::int32_t local) {
                  const OutputTile tile = tiles.tile(walk.rows(), local);
                  return TileRecord{walk.expert(),    0,
                                    tile.col,         walk.first_row() + tile.rows.first,
                                    tile.rows.height, tile.rows.live,
                                    args.k_blocks,    0};
                });
}

// The accumulators of one tile of kHeight rows; meanwhile step(i) is called in every step.
template <class Config, int kHeight, class Step>
__device__ __forceinline__ int multiply_rows(float (&accumulators)[kAccumulators],
                                             const TileRecord& tile, std::uint64_t weights_0,
                                             std::uint64_t rows_0, Ring<Config::kStages>& ring,
                                             RingPlace<Config::kStages>& place, Step step) {
  constexpr int kMn = Config::kWeightsMnMajor ? 1 : 0;
  constexpr std::uint32_t kWeightStep = kMn != 0 ? kMnMajorStep : kKMajorStep;
  constexpr bool kPair = Config::kPairs && kHeight <= Config::kPairHeight;
  constexpr std::uint32_t kBoxUnits = kBoxBytes / kDescriptorUnit;
  const int steps = kPair ? (tile.steps + 1) / 2 : tile.steps;
  place = uniform(place);
  for (int i = 0; i < steps; ++i) {
    barrier_wait(&ring.full[place.slot], place.parity);
    const std::uint32_t stage = place.slot * (Config::kStageBytes / kDescriptorUnit);
    const std::uint64_t weights = weights_0 + stage, rows = rows_0 + stage;
    pin_accumulators<kHeight / 2>(accumulators);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < kBlockK / kInstructionK; ++k) {
      wgmma_multiply<typename Config::Element, kHeight, kMn, 0>(
          accumulators, weights + k * kWeightStep, rows + k * kKMajorStep, (i | k) != 0);
    }
    if constexpr (kPair) {
      const std::uint64_t second = weights + Config::kWeightBytes / kDescriptorUnit + 2 * kBoxUnits;
#pragma unroll
      for (int k = 0; k < kBlockK / kInstructionK; ++k) {
        wgmma_multiply<typename Config::Element, kHeight, kMn, 0>(
            accumulators, second + k * kWeightStep, rows + kBoxUnits + k * kKMajorStep, 1);
      }
    }
    wgmma_commit();
    pin_accumulators<kHeight / 2>(accumulators);
    step(i);
    wgmma_wait_all();
    if (threadIdx.x % 32 == 0) { barrier_arrive(&ring.empty[place.slot]); }
    place.advance();
  }
  pin_accumulators<kHeight / 2>(accumulators);
  return steps;
}

// Calls run(std::integral_constant<int, height>) for the tile's height.
template <class Run, int... kUnits>
__device__ __forceinline__ void with_height(std::int32_t height,
                                            std::integer_sequence<int, kUnits...>, Run run) {
  (void)((height == (kUnits + 1) * kHeightUnit &&
          (run(std::integral_constant<int, (kUnits + 1) * kHeightUnit>{}), true)) ||
         ...);
}

// fp32 accumulators [columns of the output, rows] of a warpgroup, straight to memory: each quarter
// warp writes one whole sector.
__device__ __forceinline__ void store_rows_fp32(const float (&accumulators)[kAccumulators],
                                                const RowsArguments& args, const TileRecord& tile,
                                                int group) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kGroupThreads / 32;
  const std::int32_t col = tile.col + group * 64 + warp * 16 + lane / 4;
#pragma unroll
  for (int block = 0; block < 32; ++block) {
    if (block * 8 >= tile.live) { continue; }
    const std::int32_t row = block * 8 + lane % 4 * 2;
    float* out = args.out_fp32 + (tile.row + row) * args.out_ld + col;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (row + i % 2 < tile.live && col + i / 2 * 8 < args.cols) {
        out[i % 2 * args.out_ld + i / 2 * 8] = accumulators[block * 4 + i];
      }
    }
  }
}

template <class Config>
__device__ __forceinline__ void multiply_all_rows(const RowsArguments& args,
                                                  RowsShared<Config>& shared, int group) {
  constexpr std::uint32_t kApart = Config::kWeightsMnMajor ? kBoxBytes : 16;
  const std::uint64_t weights = operand_descriptor(shared.stages[0] + group * kBoxBytes, kApart);
  const std::uint64_t rows = operand_descriptor(shared.stages[0] + Config::kWeightBytes, 16);
  StagingBuffers<Config::kBuffers> buffers(
      shared.staging + group * (Config::kFp32Out ? 0 : Config::kBuffers * kBoxBytes), group);
  RingPlace<Config::kStages> place;
  TileReader reader;
  TileRecord tile;
  PendingRows pending;
  float accumulators[kAccumulators];
  std::uint32_t packed[kPackedCount];
  auto store = [&](auto chunk) {
    constexpr int kFirst = decltype(chunk)::value * 64;
    if (kFirst >= pending.height) { return; }
    std::uint8_t* buffer = buffers.template acquire<decltype(chunk)::value>();
    write_chunk_transposed<decltype(chunk)::value>(packed, buffer);
    buffers.written();
    if (buffers.leads()) {
      if (kFirst < pending.live) {
        tma_store_ragged(&args.out, buffer, pending.col, kFirst, pending.live, pending.end_row);
      }
      tma_store_commit();
    }
  };
  while (reader.next(shared.control.tiles, tile)) {
    with_height(tile.height, std::make_integer_sequence<int, Config::kMaxRows / kHeightUnit>{},
                [&](auto height) {
                  const int steps = multiply_rows<Config, decltype(height)::value>(
                      accumulators, tile, weights, rows, shared.control.stages, place,
                      [&](int step) {
                        if constexpr (!Config::kFp32Out) {
                          store_chunk_of_step(step, pending.waiting, store);
                        }
                      });
                  if constexpr (!Config::kFp32Out) {
                    if (pending.waiting) { store_chunks_from(steps, store); }
                  }
                });
    if constexpr (Config::kFp32Out) {
      store_rows_fp32(accumulators, args, tile, group);
    } else {
      pack_accumulators<typename Config::Element>(accumulators, packed);
      pending = {tile.col + group * 64, tile.height, tile.live, tile.row + tile.live, true};
    }
  }
  if constexpr (!Config::kFp32Out) {
    if (pending.waiting) { store_chunks_from(0, store); }
    buffers.finish();
  }
}

template <class Config>
__global__ void __launch_bounds__(kBlockThreads, 1)
    rows_kernel(const __grid_constant__ RowsArguments args) {
  static_assert(sizeof(RowsShared<Config>) <= kSharedLimit);
  extern __shared__ __align__(1024) std::uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<RowsShared<Config>*>(shared_bytes);
  const GroupTable* groups = open_block(args.offsets, args.schedule.order == TileOrder::kTwoEnded,
                                        shared.control, RowsTiles<Config>(args.cols));
  const int warp = warp_index();
  if (warp >= kMathWarps) {
    setmaxnreg_dec<kLoadRegisters>();
    if (warp == kLoadWarp) { load_rows<Config>(args, shared); }
    if (warp == kScheduleWarp) { schedule_rows<Config>(args, groups, shared.control); }
  } else {
    setmaxnreg_inc<kMathRegisters>();
    multiply_all_rows<Config>(args, shared, warp / (kMathWarps / kMathGroups));
  }
}

}  // namespace assay
