// BlockSchedule: the GPU kernels' schedule run on the CPU, one block after another or all at once:
// which tiles each block takes, from the shared code in src/kernels/schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "src/core/require.h"
#include "src/kernels/schedule/expert_walk.h"
#include "src/kernels/schedule/group_reader.h"
#include "src/kernels/schedule/host_lanes.h"
#include "src/kernels/schedule/row_tiles.h"
#include "src/kernels/schedule/tile_queue.h"

namespace assay {

struct BlockTile {
  std::int32_t expert, first_row, rows;  // the expert and its rows
  OutputTile tile;
};

struct BlockGrid {
  TileOrder order = TileOrder::kStatic;
  std::int32_t blocks = 1;
  bool with_table = true;   // where the experts fit
  std::uint64_t turns = 0;  // seed of the order in which the blocks ask for their tiles
};

// The offsets that a GPU kernel sees of a call's arrays, or no experts where it takes no such
// convention or length.
inline OffsetArray offset_array_of(const GroupArrays& arrays, std::int32_t* status) {
  const bool indptr = arrays.convention == ASSAY_OFFSETS_INDPTR;
  const bool counts = arrays.convention == ASSAY_OFFSETS_COUNTS;
  OffsetArray offsets;
  offsets.status = status;
  offsets.rows = static_cast<std::int32_t>(arrays.rows);
  const bool taken = indptr || counts || arrays.convention == ASSAY_OFFSETS_ENDS;
  if (!taken || !lengths_fit(arrays) || arrays.experts == 0) { return offsets; }
  offsets.experts = static_cast<std::int32_t>(arrays.experts);
  offsets.kind = counts ? OffsetArray::Kind::kCounts : OffsetArray::Kind::kEnds;
  offsets.wide = arrays.offsets.wide;
  offsets.leading_zero = indptr;
  const Index entry_bytes = offsets.wide ? sizeof(std::int64_t) : sizeof(std::int32_t);
  offsets.data = static_cast<const std::byte*>(arrays.offsets.data) + (indptr ? entry_bytes : 0);
  return offsets;
}

// What one block does, a tile a call.
template <class Tiles>
class ScheduledBlock {
 public:
  using Warp = HostLanes<32>;

  ScheduledBlock(const OffsetArray& offsets, const GroupTable* table, const Schedule& schedule,
                 const HostGrid& grid, const Tiles& tiles)
      : queue_(schedule, table, grid),
        walk_({offsets, table, queue_.two_ended(), queue_.reversed()}),
        tiles_(tiles) {}

  // False after the block's last tile.
  bool next(BlockTile& found) {
    const std::int32_t place = queue_.next();
    if (place < 0 || !walk_.seek(place, tiles_)) { return false; }
    const std::int32_t local = walk_.local(place);
    ASSAY_REQUIRE(local >= 0 && local < walk_.tiles(), local, walk_.tiles());
    found = {walk_.expert(), walk_.first_row(), walk_.rows(), tiles_.tile(walk_.rows(), local)};
    return true;
  }

 private:
  TileQueue<Warp, HostGrid> queue_;
  ExpertWalk<OffsetGroups<Warp>> walk_;
  Tiles tiles_;
};

// The tiles of all blocks of one call, as rows_kernel schedules them.
template <class Tiles>
std::vector<BlockTile> run_blocks(const OffsetArray& offsets, const BlockGrid& grid,
                                  const Tiles& tiles) {
  using Block = HostLanes<384>;
  GroupTable table;
  const bool fits = grid.with_table && offsets.experts <= kTableExperts;
  if (fits) {
    read_groups<Block>(offsets, table);
    if (grid.order == TileOrder::kTwoEnded) { rank_uneven_groups<Block>(offsets, table, tiles); }
  }
  unsigned long long claims = 0;
  Schedule schedule{grid.order, &claims};
  if (grid.order == TileOrder::kTwoEnded && fits && !table.is_ranked()) {
    schedule.order = TileOrder::kQueue;
  }
  std::vector<ScheduledBlock<Tiles>> blocks;
  for (std::int32_t block = 0; block < grid.blocks; ++block) {
    blocks.emplace_back(offsets, fits ? &table : nullptr, schedule, HostGrid{block, grid.blocks},
                        tiles);
  }
  std::vector<std::size_t> running(blocks.size());
  std::iota(running.begin(), running.end(), std::size_t{0});
  std::vector<BlockTile> found;
  std::uint64_t turn = grid.turns;
  while (!running.empty()) {
    turn = turn * 6364136223846793005u + 1442695040888963407u;
    const std::size_t chosen = static_cast<std::size_t>(turn >> 33) % running.size();
    BlockTile tile;
    if (blocks[running[chosen]].next(tile)) {
      found.push_back(tile);
    } else {
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }
  return found;
}

}  // namespace assay
