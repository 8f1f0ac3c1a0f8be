#include "src/kernels/schedule/row_tiles.h"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

RC_GTEST_PROP(RowTiles, CoverEveryRowOnce, ()) {
  const int most = kHeightUnit * *rc::gen::inRange(1, 17);
  const int rows = *rc::gen::inRange(1, 5000);
  const int tiles = count_row_tiles(rows, most);
  int next = 0;
  for (int i = 0; i < tiles; ++i) {
    const RowTile tile = row_tile(rows, tiles, i);
    RC_ASSERT(tile.first == next);
    RC_ASSERT(tile.live > 0);
    RC_ASSERT(tile.live <= tile.height);
    next += tile.live;
  }
  RC_ASSERT(next == rows);
}

RC_GTEST_PROP(RowTiles, AreOfAboutOneHeight, ()) {
  const int most = kHeightUnit * *rc::gen::inRange(1, 17);
  const int rows = *rc::gen::inRange(1, 5000);
  const int tiles = count_row_tiles(rows, most);
  const int tallest = row_tile(rows, tiles, 0).height;
  RC_ASSERT(tallest <= most);
  for (int i = 0; i < tiles; ++i) {
    const RowTile tile = row_tile(rows, tiles, i);
    RC_ASSERT(tile.height % kHeightUnit == 0);
    RC_ASSERT(tile.height == tallest || tile.height == tallest - kHeightUnit);
    RC_ASSERT(i + 1 == tiles || tile.live == tile.height);
  }
}

RC_GTEST_PROP(Strips, VisitEveryTileOnce, ()) {
  const int row_tiles = *rc::gen::inRange(1, 60), col_tiles = *rc::gen::inRange(1, 20);
  const int strip = *rc::gen::inRange(1, 20);
  std::vector<int> visits(static_cast<std::size_t>(row_tiles * col_tiles));
  for (int i = 0; i < row_tiles * col_tiles; ++i) {
    const TilePlace place = place_in_strips(i, row_tiles, col_tiles, strip);
    RC_ASSERT(place.row_tile >= 0 && place.row_tile < row_tiles);
    RC_ASSERT(place.col_tile >= 0 && place.col_tile < col_tiles);
    ++visits[static_cast<std::size_t>(place.row_tile * col_tiles + place.col_tile)];
  }
  for (const int count : visits) { RC_ASSERT(count == 1); }
}

TEST(Strips, WalkRowsBeforeColumns) {
  EXPECT_EQ(place_in_strips(1, 5, 3, 2).row_tile, 1);
  EXPECT_EQ(place_in_strips(2, 5, 3, 2).col_tile, 1);
  EXPECT_EQ(place_in_strips(6, 5, 3, 2).row_tile, 2);
  EXPECT_EQ(place_in_strips(13, 5, 3, 2).row_tile, 4);  // the last strip has one row of tiles
}

}  // namespace
}  // namespace assay
