// Sizes that every Hopper kernel here shares: one block an SM, two warpgroups that multiply and one
// whose first warps load and schedule.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/device_lanes.cuh"
#include "src/kernels/cuda/sm90/tile_ring.cuh"
#include "src/kernels/schedule/group_table.h"

namespace assay {

inline constexpr int kGroupThreads = 128;
inline constexpr int kMathGroups = 2;
inline constexpr int kBlockThreads = (kMathGroups + 1) * kGroupThreads;
inline constexpr int kMathWarps = kMathGroups * kGroupThreads / 32;
inline constexpr int kLoadWarp = kMathWarps;
inline constexpr int kScheduleWarp = kMathWarps + 1;
inline constexpr int kSpareWarp = kMathWarps + 2;  // and the one after it

// 504 = 3 * 168, what the block starts with.
inline constexpr int kLoadRegisters = 40;
inline constexpr int kMathRegisters = 232;

inline constexpr int kDepth = 64;      // reduction of a stage: 128 bytes, one swizzle span
inline constexpr int kStepDepth = 16;  // of a matrix instruction
inline constexpr int kSpanBytes = 128;
inline constexpr int kBoxBytes = 64 * kSpanBytes;  // 64 rows of one span
inline constexpr int kSharedLimit = 232448;

// Descriptor steps of kStepDepth, in units of 16 bytes.
inline constexpr std::uint32_t kKMajorStep = kStepDepth * 2 / 16;
inline constexpr std::uint32_t kMnMajorStep = kStepDepth * kSpanBytes / 16;

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
