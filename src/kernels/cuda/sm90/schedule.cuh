// The scheduling warp: claims tiles for its block, finds their experts and publishes them.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/expert_walk.cuh"
#include "src/kernels/cuda/sm90/arguments.cuh"
#include "src/kernels/cuda/sm90/tile_ring.cuh"

namespace assay {

// The places in the list of tiles that one block claims, one after another; -1 after the last.
class TileClaims {
 public:
  __device__ TileClaims(const Schedule& schedule, const GroupTable* table)
      : schedule_(schedule),
        table_(table),
        two_ended_(schedule.order == TileOrder::kTwoEnded && table != nullptr),
        reversed_(two_ended_ && blockIdx.x % kBlocksAnEnd == kBlocksAnEnd - 1) {}

  __device__ bool two_ended() const { return two_ended_; }
  __device__ bool reversed() const { return reversed_; }

  __device__ std::int32_t next() {
    const std::int32_t block = blockIdx.x, blocks = gridDim.x;
    if (schedule_.order == TileOrder::kStatic) { return block + blocks * count_++; }
    if (!two_ended_ && count_++ == 0) { return block; }
    std::int32_t claim = 0;
    if (threadIdx.x % 32 == 0) { claim = two_ended_ ? claim_from_an_end() : blocks + claim_next(); }
    return __shfl_sync(~0u, claim, 0);
  }

 private:
  // Every fourth block serves the end of the small experts, whose tiles wait for memory, while the
  // others multiply.
  static constexpr int kBlocksAnEnd = 4;

  __device__ std::int32_t claim_next() { return static_cast<std::int32_t>(add(1)); }

  // Both ends' claims in one counter: together they never pass the number of tiles.
  __device__ std::int32_t claim_from_an_end() {
    const unsigned long long before = add(reversed_ ? 1ull << 32 : 1ull);
    const auto front = static_cast<std::int32_t>(before & 0xffffffffu);
    const auto back = static_cast<std::int32_t>(before >> 32);
    return front + back >= table_->tiles ? -1 : reversed_ ? back : front;
  }
  __device__ unsigned long long add(unsigned long long amount) {
    return atomicAdd(schedule_.claims, amount);
  }

  const Schedule& schedule_;
  const GroupTable* table_;
  bool two_ended_, reversed_;
  std::int32_t count_ = 0;
};

// tiles_of(rows): tiles of an expert with rows. describe(walk, local): the record of its tile.
template <class TilesOf, class Describe>
__device__ __forceinline__ void publish_tiles(const Schedule& schedule, const OffsetArray& offsets,
                                              const GroupTable* table, TileRing& tiles,
                                              TilesOf tiles_of, Describe describe) {
  TileClaims claims(schedule, table);
  ExpertWalk walk(offsets, table, claims.two_ended(), claims.reversed());
  TileWriter writer;
  TileRecord record{};
  do {
    const std::int32_t claim = claims.next();
    record.expert = -1;
    if (claim >= 0 && walk.seek(claim, tiles_of)) { record = describe(walk, walk.local(claim)); }
    writer.wait_for_slot(tiles);
    writer.publish(tiles, record);
  } while (record.expert >= 0);
}

}  // namespace assay
