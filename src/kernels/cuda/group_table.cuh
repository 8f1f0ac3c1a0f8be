// GroupTable: the rows of every expert in shared memory, read by a whole block in one scan, and
// the experts ranked by their rows.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/offset_array.h"

namespace assay {

inline constexpr int kTableExperts = 256;  // more are walked in global memory, unranked
inline constexpr int kWarpThreads = 32;

struct GroupTable {
  std::int32_t starts[kTableExperts + 1];
  std::uint8_t order[kTableExperts];  // experts by rows, most first
  std::int32_t warp_ends[kTableExperts / kWarpThreads];
  std::int32_t tiles;  // of all experts, where they are ranked
  std::int32_t most;   // rows of an expert, where they may be ranked

  __device__ bool is_ranked() const { return tiles > 0; }
  __device__ std::int32_t rows_of(int expert) const { return starts[expert + 1] - starts[expert]; }
};

__device__ __forceinline__ std::int32_t scan_warp(const OffsetArray& offsets, std::int32_t term) {
  const int lane = threadIdx.x % kWarpThreads;
#pragma unroll
  for (int distance = 1; distance < kWarpThreads; distance *= 2) {
    const std::int32_t before = __shfl_up_sync(~0u, term, distance);
    if (lane >= distance) { term = offsets.combine(before, term); }
  }
  return term;
}

__device__ __forceinline__ void report_invalid(const OffsetArray& offsets) {
  if (offsets.status != nullptr) { *offsets.status = 1; }
}

// Fills `starts` and reports invalid entries. All threads of the block call it; it ends with a
// barrier. Requires: at least kTableExperts threads, at most kTableExperts experts.
__device__ inline void read_groups(const OffsetArray& offsets, GroupTable& table) {
  const int expert = threadIdx.x, warp = expert / kWarpThreads, lane = expert % kWarpThreads;
  const bool exists = expert < offsets.experts;
  const Index entry = exists ? offsets.entry(expert) : 0;
  const std::int32_t within = scan_warp(offsets, exists ? offsets.term(entry) : 0);
  if (expert < kTableExperts && lane == kWarpThreads - 1) { table.warp_ends[warp] = within; }
  if (expert == 0) { table.tiles = 0; }
  __syncthreads();
  const std::int32_t before_lane = __shfl_up_sync(~0u, within, 1);
  if (expert < kTableExperts) {
    std::int32_t before_warp = 0;
    for (int i = 0; i < warp; ++i) {
      before_warp = offsets.combine(before_warp, table.warp_ends[i]);
    }
    const std::int32_t first = lane == 0 ? before_warp : offsets.combine(before_warp, before_lane);
    const std::int32_t end = offsets.combine(before_warp, within);
    table.starts[expert + 1] = end;
    if (expert == 0) { table.starts[0] = 0; }
    const bool valid = !exists || (offsets.agrees(entry, first, end) &&
                                   (expert > 0 || offsets.leading_entry_is_valid()));
    if (!valid && blockIdx.x == 0) { report_invalid(offsets); }
  }
  __syncthreads();
}

// Fills `order`. All threads of the block call it after read_groups; a barrier has to follow.
__device__ inline void rank_groups(const OffsetArray& offsets, GroupTable& table) {
  const int expert = threadIdx.x;
  if (expert >= offsets.experts || expert >= kTableExperts) { return; }
  const std::int32_t rows = table.rows_of(expert);
  int rank = 0;
  std::int32_t first = 0;
#pragma unroll 8
  for (int other = 0; other < offsets.experts; ++other) {
    const std::int32_t end = table.starts[other + 1], other_rows = end - first;
    rank += other_rows > rows || (other_rows == rows && other < expert) ? 1 : 0;
    first = end;
  }
  table.order[rank] = static_cast<std::uint8_t>(expert);
}

}  // namespace assay
