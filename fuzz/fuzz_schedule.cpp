// The tile schedule: for any counts and tile shape each output tile comes exactly once, from
// exactly one worker, with no row outside its group; the split plan covers every reduction exactly;
// and whatever the offset arrays hold, no group leaves the operands. The same for the schedule of
// the GPU kernels, where they take the convention.
#include <algorithm>
#include <vector>

#include "fuzz/block_schedule.h"
#include "fuzz/features.h"
#include "fuzz/note.h"
#include "fuzz/offsets_input.h"
#include "fuzz/target.h"
#include "src/core/require.h"
#include "src/kernels/schedule/split_plan.h"
#include "src/kernels/schedule/tile_walk.h"

namespace assay {
namespace {

constexpr Index kMostMarked = 1 << 16;  // elements that are counted one by one
constexpr Index kMostTiles = 1 << 14;

struct TileSchedule {
  TileShape shape;
  Index workers = 1;
  Index part_tiles = 1;
  Index k = 1, n = 1;
  std::int32_t pass = 0;
};

TileSchedule read_schedule(ByteReader& bytes) {
  return {
      .shape = {.m = bytes.between(1, 256), .n = bytes.between(1, 256), .k = bytes.between(1, 256)},
      .workers = bytes.between(1, 16),
      .part_tiles = bytes.between(1, 16),
      .k = bytes.between(1, 300),
      .n = bytes.between(1, 300),
      .pass = static_cast<std::int32_t>(bytes.below(3))};
}

std::vector<RowGroup> require_clamped(const GroupArrays& arrays) {
  std::vector<RowGroup> groups;
  GroupReader reader(arrays);
  Index end = 0;
  bool valid = true;
  for (Index g = 0; g < arrays.experts; ++g) {
    const RowGroup group = reader.next();
    ASSAY_REQUIRE(group.start >= 0 && group.start <= arrays.rows, g, group.start, arrays.rows);
    ASSAY_REQUIRE(group.count >= 0 && group.count <= arrays.rows - group.start, g, group.start,
                  group.count, arrays.rows);
    valid = valid && group.valid;
    // Pointers lead anywhere; whether groups overlap is for the caller to see.
    if (valid && group.count > 0 && arrays.row_pointers == nullptr) {
      ASSAY_REQUIRE(group.start >= end, g, group.start, end);
      end = group.start + group.count;
    }
    groups.push_back(group);
  }
  static_cast<void>(reader.rest_is_valid());
  return groups;
}

void require_split(Index depth, const TileSchedule& schedule) {
  // A long reduction with a tiny tile has more parts than are worth walking.
  const Index k_tile = std::max(schedule.shape.k, depth >> 12);
  const SplitPlan plan(depth, k_tile, schedule.part_tiles);
  ASSAY_REQUIRE(plan.parts() >= 1, depth);
  Index end = 0, least = INT64_MAX, most = 0;
  for (Index part = 0; part < plan.parts(); ++part) {
    const BlockRange range = plan.part(part);
    ASSAY_REQUIRE(range.first == end && range.count >= 0, depth, part, range.first, end);
    ASSAY_REQUIRE(range.count > 0 || depth == 0, depth, part);
    ASSAY_REQUIRE(range.first % k_tile == 0, depth, part, range.first);
    const Index tiles = blocks_of(range.count, k_tile);
    ASSAY_REQUIRE(tiles <= schedule.part_tiles, tiles, schedule.part_tiles);
    least = std::min(least, tiles);
    most = std::max(most, tiles);
    end += range.count;
  }
  ASSAY_REQUIRE(end == depth, end, depth);
  ASSAY_REQUIRE(most - least <= 1, least, most);
}

// One output matrix of each expert; how often each element was covered.
class Coverage {
 public:
  Coverage(const std::vector<RowGroup>& groups, const OutputExtent& extent) : groups_(groups) {
    for (const RowGroup& group : groups) {
      first_.push_back(elements_);
      rows_.push_back(extent.rows_of(group.count));
      elements_ += rows_.back() * extent.cols;
      if (elements_ > kMostMarked) { return; }
    }
    cols_ = extent.cols;
    seen_.assign(static_cast<std::size_t>(elements_), 0);
  }
  bool too_large() const { return elements_ > kMostMarked; }

  void cover(const ScheduledTile& tile) {
    ASSAY_REQUIRE(tile.expert >= 0 && tile.expert < static_cast<Index>(groups_.size()));
    const auto g = static_cast<std::size_t>(tile.expert);
    ASSAY_REQUIRE(tile.group.start == groups_[g].start && tile.group.count == groups_[g].count, g);
    ASSAY_REQUIRE(tile.rows.first >= 0 && tile.rows.count >= 1, g);
    ASSAY_REQUIRE(tile.rows.first + tile.rows.count <= rows_[g], g, tile.rows.first,
                  tile.rows.count, rows_[g]);
    ASSAY_REQUIRE(tile.cols.first >= 0 && tile.cols.count >= 1, g);
    ASSAY_REQUIRE(tile.cols.first + tile.cols.count <= cols_, g, tile.cols.first, tile.cols.count);
    for (Index row = 0; row < tile.rows.count; ++row) {
      const Index at = first_[g] + (tile.rows.first + row) * cols_ + tile.cols.first;
      for (Index col = 0; col < tile.cols.count; ++col) { ++seen_[at + col]; }
    }
  }
  void require_once() const {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      ASSAY_REQUIRE(seen_[i] == 1, i, int{seen_[i]});
    }
  }

 private:
  const std::vector<RowGroup>& groups_;
  std::vector<Index> first_, rows_;
  Index elements_ = 0;
  Index cols_ = 0;
  std::vector<std::uint8_t> seen_;
};

void walk_all_workers(const GroupArrays& arrays, const TileSchedule& schedule,
                      const OutputExtent& extent, Coverage& coverage) {
  const Index tiles = count_tiles(arrays, extent, schedule.shape);
  Index walked = 0;
  for (Index worker = 0; worker < schedule.workers; ++worker) {
    TileWalk walk(arrays, extent, schedule.shape);
    Index flat = worker;
    for (; walk.seek(flat); flat += schedule.workers) {
      ASSAY_REQUIRE(flat < tiles, flat, tiles);
      const ScheduledTile tile = walk.tile();
      ASSAY_REQUIRE(tile.rows.first % schedule.shape.m == 0, tile.rows.first);
      ASSAY_REQUIRE(tile.cols.first % schedule.shape.n == 0, tile.cols.first);
      ASSAY_REQUIRE(tile.rows.count <= schedule.shape.m && tile.cols.count <= schedule.shape.n);
      coverage.cover(tile);
      ++walked;
    }
    ASSAY_REQUIRE(flat >= tiles, flat, tiles);
  }
  ASSAY_REQUIRE(walked == tiles, walked, tiles);
}

// The GPU kernels' blocks together take every row of every group once for each column of tiles.
void require_blocks(const GroupArrays& arrays, const TileSchedule& schedule,
                    const std::vector<RowGroup>& groups) {
  constexpr std::int32_t kTileCols = 128;
  std::int32_t status = 0;
  const OffsetArray offsets = offset_array_of(arrays, &status);
  if (offsets.experts == 0 || arrays.rows > kMostMarked) { return; }
  const BlockGrid grid{static_cast<TileOrder>(schedule.part_tiles % 3),
                       static_cast<std::int32_t>(schedule.workers), schedule.k % 2 == 0,
                       static_cast<std::uint64_t>(schedule.shape.k)};
  const EvenTiles<64, kTileCols, 4> tiles(static_cast<std::int32_t>(schedule.n));
  std::vector<Index> taken(static_cast<std::size_t>(arrays.rows));
  for (const BlockTile& found : run_blocks(offsets, grid, tiles)) {
    ASSAY_REQUIRE(found.expert >= 0 && found.expert < offsets.experts, found.expert);
    const RowGroup& group = groups[found.expert];
    ASSAY_REQUIRE(found.first_row == group.start && found.rows == group.count, found.expert,
                  found.first_row, found.rows);
    const RowTile& rows = found.tile.rows;
    ASSAY_REQUIRE(rows.live > 0 && rows.first + rows.live <= found.rows, rows.first, rows.live);
    for (Index row = 0; row < rows.live; ++row) { ++taken[found.first_row + rows.first + row]; }
  }
  for (const RowGroup& group : groups) {
    for (Index row = group.start; row < group.start + group.count; ++row) {
      Index& times = taken[row];
      ASSAY_REQUIRE(times == tiles.col_tiles, row, times, tiles.col_tiles);
      times = 0;
    }
  }
  ASSAY_REQUIRE(std::all_of(taken.begin(), taken.end(), [](Index times) { return times == 0; }));
}

void mark_schedule(const GroupArrays& arrays, const TileSchedule& schedule,
                   const std::vector<RowGroup>& groups) {
  const Index valid =
      std::all_of(groups.begin(), groups.end(), [](const RowGroup& group) { return group.valid; });
  mark_feature(FeatureGroup::kSchedule, (arrays.convention * 3 + schedule.pass) * 2 + valid);
  for (const RowGroup& group : groups) {
    if (group.count == 0) { continue; }
    const Index at = schedule.pass * kPlaceBuckets;
    mark_feature(FeatureGroup::kRowTail,
                 at + place_bucket(group.count % schedule.shape.m, schedule.shape.m));
    mark_feature(FeatureGroup::kStartInTile,
                 at + place_bucket(group.start % schedule.shape.m, schedule.shape.m));
  }
}

void note_schedule(const OffsetsInput& input, const TileSchedule& schedule) {
  if (!wants_notes()) { return; }
  const bool valid = validate_offsets(input.arrays, input.frame).has_value();
  note(std::string(name(static_cast<Pass>(schedule.pass))) + '_' + name(input.arrays.kind) +
       (valid ? "_tile_" : "_garbage_tile_") + std::to_string(schedule.shape.m) + "x" +
       std::to_string(schedule.shape.n) + "_workers_" + std::to_string(schedule.workers));
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::ByteReader bytes(data, size);
  const assay::TileSchedule schedule = assay::read_schedule(bytes);
  const assay::OffsetsInput input = assay::read_offsets_input(bytes);
  assay::note_schedule(input, schedule);
  const assay::StoredGroups stored(input);
  const assay::GroupArrays& arrays = stored.arrays();
  const std::vector<assay::RowGroup> groups = assay::require_clamped(arrays);
  for (const assay::RowGroup& group : groups) { assay::require_split(group.count, schedule); }
  assay::require_blocks(arrays, schedule, groups);
  assay::mark_schedule(arrays, schedule, groups);
  const assay::OutputExtent extent = assay::output_extent(schedule.pass, schedule.k, schedule.n);
  assay::Coverage coverage(groups, extent);
  if (coverage.too_large()) { return 0; }
  if (assay::count_tiles(arrays, extent, schedule.shape) > assay::kMostTiles) { return 0; }
  assay::walk_all_workers(arrays, schedule, extent, coverage);
  coverage.require_once();
  return 0;
}
