// Sizes that every Hopper kernel here shares: one block an SM, two warpgroups that multiply and one
// whose first warps load and schedule.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/device_lanes.cuh"
#include "src/kernels/cuda/sm90/tile_ring.cuh"
#include "src/kernels/schedule/group_table.h"

namespace assay {

inline constexpr int kGroupThreads = 128;
// A tile of 128x256 has 256 accumulators for each thread of one warpgroup, more than the 255
// registers that a thread can have; over two groups it is 128. A third math group would leave 128
// registers a thread in all.
inline constexpr int kMathGroups = 2;
inline constexpr int kBlockThreads = (kMathGroups + 1) * kGroupThreads;
inline constexpr int kMathWarps = kMathGroups * kGroupThreads / 32;
inline constexpr int kLoadWarp = kMathWarps;
inline constexpr int kScheduleWarp = kMathWarps + 1;
inline constexpr int kSpareWarp = kMathWarps + 2;  // and the one after it
static_assert(kTileReaders == kMathWarps + 1, "the loading warp reads the tiles, too");

// The launch gives every thread 168 registers. The group that loads and schedules does with 40, so
// the math groups can have 232: 128 accumulators, 64 packed outputs of the tile before, addresses.
inline constexpr int kLoadRegisters = 40;
inline constexpr int kMathRegisters = 232;
static_assert(kLoadRegisters + kMathGroups * kMathRegisters <= (kMathGroups + 1) * 168,
              "setmaxnreg_inc waits for registers that nobody gives back");
static_assert(kLoadRegisters % 8 == 0 && kMathRegisters % 8 == 0, "setmaxnreg counts in eights");

inline constexpr int kBlockK = 64;        // K of a stage: 128 bytes, one swizzle span
inline constexpr int kInstructionK = 16;  // K of a matrix instruction
inline constexpr int kSpanBytes = 128;
inline constexpr int kBoxBytes = 64 * kSpanBytes;  // 64 rows of one span
static_assert(kBlockK * 2 == kSpanBytes, "elements of 16 bits");
static_assert(kBlockK % kInstructionK == 0);
inline constexpr int kSharedLimit = 232448;  // 227 KiB: a block's, on compute capability 9.0

// Descriptor steps of kInstructionK, in units of 16 bytes.
inline constexpr std::uint32_t kKMajorStep = kInstructionK * 2 / 16;
inline constexpr std::uint32_t kMnMajorStep = kInstructionK * kSpanBytes / 16;

__device__ __forceinline__ int warp_index() {
  return __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0);
}

// The barriers, tiles and groups of a block.
template <int kStages>
struct Control {
  Ring<kStages> stages;
  TileRing tiles;
  GroupTable groups;
};

// Readies `control`; all threads call it, and it ends with a barrier. Returns the table of groups,
// or null where there are too many experts for it. With `may_rank` the table is ranked, unless
// all experts with rows have about as many.
template <int kStages, class TilesOf>
__device__ __forceinline__ const GroupTable* open_block(const OffsetArray& offsets, bool may_rank,
                                                        Control<kStages>& control,
                                                        TilesOf tiles_of) {
  if (threadIdx.x == 0) {
    control.stages.init(kMathWarps);
    control.tiles.init();
    barrier_init_fence();
  }
  const bool fits = offsets.experts <= kTableExperts;
  if (fits) {
    read_groups<DeviceBlock>(offsets, control.groups);
    if (may_rank) { rank_uneven_groups<DeviceBlock>(offsets, control.groups, tiles_of); }
  }
  __syncthreads();
  return fits ? &control.groups : nullptr;
}

}  // namespace assay
