// The scheduling warp: claims tiles for its block, finds their experts and publishes them.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/device_lanes.cuh"
#include "src/kernels/cuda/sm90/arguments.cuh"
#include "src/kernels/cuda/sm90/tile_ring.cuh"
#include "src/kernels/schedule/expert_walk.h"
#include "src/kernels/schedule/tile_queue.h"

namespace assay {

using DeviceWalk = ExpertWalk<OffsetGroups<DeviceWarp>>;

// tiles_of(rows): tiles of an expert with rows. describe(walk, local): the record of its tile.
template <class TilesOf, class Describe>
__device__ __forceinline__ void publish_tiles(const Schedule& schedule, const OffsetArray& offsets,
                                              const GroupTable* table, TileRing& tiles,
                                              TilesOf tiles_of, Describe describe) {
  TileQueue<DeviceWarp, DeviceGrid> queue(schedule, table, {});
  DeviceWalk walk({offsets, table, queue.two_ended(), queue.reversed()});
  TileWriter writer;
  TileRecord record{};
  do {
    const std::int32_t claim = queue.next();
    record.expert = -1;
    if (claim >= 0 && walk.seek(claim, tiles_of)) { record = describe(walk, walk.local(claim)); }
    writer.wait_for_slot(tiles);
    writer.publish(tiles, record);
  } while (record.expert >= 0);
}

}  // namespace assay
