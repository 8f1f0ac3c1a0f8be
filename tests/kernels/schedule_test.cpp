// Tile counts, the walk over them and the split plan.
#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "src/kernels/schedule/split_plan.h"
#include "src/kernels/schedule/tile_walk.h"
#include "tests/kernels/stored_offsets.h"

namespace assay {
namespace {

StoredOffsets stored_ends(const std::vector<Index>& counts) {
  CaseSpec spec;
  spec.rows = counts;
  const OffsetsFrame frame = frame_of(spec);
  return {encode_offsets(lay_out_rows(spec), {}, frame), frame};
}

std::vector<ScheduledTile> all_tiles(const GroupArrays& arrays, const OutputExtent& extent,
                                     const TileShape& shape) {
  std::vector<ScheduledTile> tiles;
  TileWalk walk(arrays, extent, shape);
  for (Index flat = 0; walk.seek(flat); ++flat) { tiles.push_back(walk.tile()); }
  return tiles;
}

TEST(TileShape, CountsAndCutsBlocks) {
  EXPECT_EQ(blocks_of(0, 128), 0);
  EXPECT_EQ(blocks_of(128, 128), 1);
  EXPECT_EQ(blocks_of(129, 128), 2);
  EXPECT_EQ(blocks_of(std::numeric_limits<Index>::max(), 1), std::numeric_limits<Index>::max());
  const BlockRange whole = block_range(300, 128, 1), tail = block_range(300, 128, 2);
  EXPECT_EQ(whole.first, 128);
  EXPECT_FALSE(is_tail(whole, 128));
  EXPECT_EQ(tail.first, 256);
  EXPECT_EQ(tail.count, 44);
  EXPECT_TRUE(is_tail(tail, 128));
  EXPECT_TRUE(tail.contains(299));
  EXPECT_FALSE(tail.contains(300));
}

TEST(TileWalk, RunsRowBlocksFastest) {
  const StoredOffsets stored = stored_ends({300, 0, 10});
  const auto tiles = all_tiles(stored.groups(), output_extent(ASSAY_FWD, 64, 200), {128, 128, 64});
  ASSERT_EQ(tiles.size(), 8u);
  const Index rows[] = {0, 128, 256, 0, 128, 256, 0, 0};
  const Index cols[] = {0, 0, 0, 128, 128, 128, 0, 128};
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    EXPECT_EQ(tiles[i].expert, i < 6 ? 0 : 2);
    EXPECT_EQ(tiles[i].rows.first, rows[i]);
    EXPECT_EQ(tiles[i].cols.first, cols[i]);
  }
  EXPECT_EQ(tiles[2].rows.count, 44);
  EXPECT_EQ(tiles[7].group.start, 300);
}

TEST(TileWalk, GivesEmptyExpertsTheirGradientTiles) {
  const StoredOffsets stored = stored_ends({0, 5, 0});
  const auto tiles =
      all_tiles(stored.groups(), output_extent(ASSAY_WGRAD, 130, 100), {128, 128, 64});
  ASSERT_EQ(tiles.size(), 6u);
  EXPECT_EQ(tiles[0].expert, 0);
  EXPECT_EQ(tiles[0].group.count, 0);
  EXPECT_EQ(tiles[5].expert, 2);
  EXPECT_EQ(tiles[5].rows.count, 2);
}

TEST(TileWalk, HasNoTileWhereThereIsNoOutput) {
  const StoredOffsets stored = stored_ends({0, 0});
  EXPECT_TRUE(all_tiles(stored.groups(), output_extent(ASSAY_FWD, 8, 8), {64, 64, 64}).empty());
  const StoredOffsets rows = stored_ends({4, 4});
  EXPECT_TRUE(all_tiles(rows.groups(), output_extent(ASSAY_FWD, 8, 0), {64, 64, 64}).empty());
  EXPECT_TRUE(all_tiles(rows.groups(), output_extent(ASSAY_WGRAD, 0, 8), {64, 64, 64}).empty());
}

struct DrawnWalk {
  std::vector<Index> counts;
  TileShape shape;
  std::int32_t pass;
  Index k, n, workers;
};

DrawnWalk drawn_walk() {
  const auto counts =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<Index>>(rc::gen::weightedOneOf<Index>(
          {{1, rc::gen::just(Index{0})}, {2, rc::gen::inRange<Index>(0, 40)}})));
  const TileShape shape{*rc::gen::inRange<Index>(1, 20), *rc::gen::inRange<Index>(1, 20), 1};
  return {counts,
          shape,
          *rc::gen::inRange<std::int32_t>(0, 3),
          *rc::gen::inRange<Index>(0, 40),
          *rc::gen::inRange<Index>(0, 40),
          *rc::gen::inRange<Index>(1, 12)};
}

// Every element of every output matrix, marked by all workers together.
RC_GTEST_PROP(TileWalkProperty, CoversEveryOutputExactlyOnceForAnyNumberOfWorkers, ()) {
  const DrawnWalk drawn = drawn_walk();
  const StoredOffsets stored = stored_ends(drawn.counts);
  const OutputExtent extent = output_extent(drawn.pass, drawn.k, drawn.n);
  std::vector<std::vector<int>> marks;
  std::vector<Index> starts{0};
  for (const Index count : drawn.counts) {
    const Index rows = drawn.pass == ASSAY_WGRAD ? drawn.k : count;
    marks.emplace_back(static_cast<std::size_t>(rows * extent.cols), 0);
    starts.push_back(starts.back() + count);
  }
  Index visited = 0;
  for (Index worker = 0; worker < drawn.workers; ++worker) {
    TileWalk walk(stored.groups(), extent, drawn.shape);
    for (Index flat = worker; walk.seek(flat); flat += drawn.workers) {
      const ScheduledTile tile = walk.tile();
      const auto expert = static_cast<std::size_t>(tile.expert);
      RC_ASSERT(tile.group.start == starts[expert]);
      RC_ASSERT(tile.group.count == drawn.counts[expert]);
      RC_ASSERT(tile.rows.count >= 1 && tile.rows.count <= drawn.shape.m);
      RC_ASSERT(tile.cols.count >= 1 && tile.cols.count <= drawn.shape.n);
      for (Index row = 0; row < tile.rows.count; ++row) {
        for (Index col = 0; col < tile.cols.count; ++col) {
          const Index at = (tile.rows.first + row) * extent.cols + tile.cols.first + col;
          ++marks[expert].at(static_cast<std::size_t>(at));
        }
      }
      ++visited;
    }
  }
  RC_ASSERT(visited == count_tiles(stored.groups(), extent, drawn.shape));
  for (const auto& expert : marks) {
    RC_ASSERT(std::all_of(expert.begin(), expert.end(), [](int times) { return times == 1; }));
  }
}

TEST(SplitPlan, CutsAtMultiplesOfTheTile) {
  const SplitPlan plan(1000, 64, 4);  // 16 tiles
  ASSERT_EQ(plan.parts(), 4);
  EXPECT_EQ(plan.part(0).first, 0);
  EXPECT_EQ(plan.part(1).first, 256);
  EXPECT_EQ(plan.part(3).first, 768);
  EXPECT_EQ(plan.part(3).count, 232);
}

TEST(SplitPlan, GivesAnEmptyReductionOneEmptyPart) {
  const SplitPlan plan(0, 64, 4);
  ASSERT_EQ(plan.parts(), 1);
  EXPECT_EQ(plan.part(0).count, 0);
}

RC_GTEST_PROP(SplitPlanProperty, CoversTheReductionExactlyInEvenParts, ()) {
  const auto depth = *rc::gen::inRange<Index>(0, 3000);
  const auto k_tile = *rc::gen::inRange<Index>(1, 130);
  const auto part_tiles = *rc::gen::inRange<Index>(1, 20);
  const SplitPlan plan(depth, k_tile, part_tiles);
  RC_ASSERT(plan.parts() >= 1);
  Index next = 0, fewest = depth, most = 0;
  for (Index index = 0; index < plan.parts(); ++index) {
    const BlockRange part = plan.part(index);
    RC_ASSERT(part.first == next);
    RC_ASSERT(part.first % k_tile == 0);
    RC_ASSERT(part.count > 0 || depth == 0);
    const Index tiles = blocks_of(part.count, k_tile);
    RC_ASSERT(tiles <= part_tiles);
    fewest = std::min(fewest, tiles);
    most = std::max(most, tiles);
    next = part.first + part.count;
  }
  RC_ASSERT(next == depth);
  RC_ASSERT(most - fewest <= 1);
}

}  // namespace
}  // namespace assay
