// TileRing: the tiles of a block, found by its scheduling warp and read by all others. Two slots
// and no more: a tile that is claimed early cannot go to a block that is free sooner.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/sm90/pipeline.cuh"

namespace assay {

struct TileRecord {
  std::int32_t expert;   // -1: no more tiles
  std::int32_t out_row;  // wgrad: first row of the expert's output
  std::int32_t col;      // first column of the output
  std::int32_t row;      // first row of x and y
  std::int32_t height;   // output rows; wgrad: not used
  std::int32_t live;     // rows of x and y: those that exist, and wgrad's reduction
  std::int32_t steps;    // stages of the reduction
  std::int32_t last;     // wgrad: matrix instructions of the last stage
};

static_assert(sizeof(TileRecord) == 2 * sizeof(int4), "a reader loads it in two halves");

inline constexpr int kTileSlots = 2;
inline constexpr int kTileReaders = 9;  // the loading warp and eight multiplying warps

struct alignas(16) TileRing {
  TileRecord slots[kTileSlots];
  Ring<kTileSlots> ring;

  __device__ void init() { ring.init(kTileReaders); }
};

// One reading warp's view of the ring.
class TileReader {
 public:
  // The next tile; false after the last. All lanes call it.
  __device__ __forceinline__ bool next(TileRing& tiles, TileRecord& tile) {
    next_as_read(tiles, tile);
    tile = {uniform(tile.expert), uniform(tile.out_row), uniform(tile.col),   uniform(tile.row),
            uniform(tile.height), uniform(tile.live),    uniform(tile.steps), uniform(tile.last)};
    return tile.expert >= 0;
  }

  // The same without telling the compiler that the tile is uniform.
  __device__ __forceinline__ bool next_as_read(TileRing& tiles, TileRecord& tile) {
    barrier_wait(&tiles.ring.full[place_.slot], place_.parity);
    const int4* halves = reinterpret_cast<const int4*>(&tiles.slots[place_.slot]);
    const int4 first = halves[0], second = halves[1];
    __syncwarp();
    if (threadIdx.x % 32 == 0) { barrier_arrive(&tiles.ring.empty[place_.slot]); }
    place_.advance();
    tile = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    return tile.expert >= 0;
  }

 private:
  RingPlace<kTileSlots> place_;
};

// The scheduling warp's view.
class TileWriter {
 public:
  __device__ __forceinline__ void wait_for_slot(TileRing& tiles) {
    barrier_wait(&tiles.ring.empty[place_.slot], place_.parity ^ 1);
  }
  __device__ __forceinline__ void publish(TileRing& tiles, const TileRecord& tile) {
    if (threadIdx.x % 32 == 0) {
      tiles.slots[place_.slot] = tile;
      barrier_arrive(&tiles.ring.full[place_.slot]);
    }
    __syncwarp();
    place_.advance();
  }

 private:
  RingPlace<kTileSlots> place_;
};

}  // namespace assay
