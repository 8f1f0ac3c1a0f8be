// How an expert's output is cut into tiles, and in which order they are visited: what the GPU's
// scheduling warps compute, in plain functions that a CPU test can call.
#pragma once

#include <cstdint>

#include "src/core/host_device.h"

namespace assay {

// Tile heights are multiples of this, the matrix instruction's step in columns.
inline constexpr std::int32_t kHeightUnit = 16;

struct RowTile {
  std::int32_t first = 0;   // from the expert's first row
  std::int32_t height = 0;  // a multiple of kHeightUnit
  std::int32_t live = 0;    // rows that exist: less than the height in the last tile at most
};

ASSAY_HOST_DEVICE constexpr std::int32_t ceil_div(std::int32_t a, std::int32_t b) {
  return (a + b - 1) / b;
}

// The fewest tiles of at most `most` rows. Requires: most a multiple of kHeightUnit.
ASSAY_HOST_DEVICE constexpr std::int32_t count_row_tiles(std::int32_t rows, std::int32_t most) {
  return ceil_div(rows, most);
}

// Tile `index` of `tiles`; heights differ by one unit at most, the taller ones first.
ASSAY_HOST_DEVICE constexpr RowTile row_tile(std::int32_t rows, std::int32_t tiles,
                                             std::int32_t index) {
  const std::int32_t units = ceil_div(rows, kHeightUnit);
  const std::int32_t least = units / tiles, taller = units % tiles;
  const std::int32_t before = index * least + (index < taller ? index : taller);
  const std::int32_t first = before * kHeightUnit;
  const std::int32_t height = (least + (index < taller ? 1 : 0)) * kHeightUnit;
  const std::int32_t rest = rows - first;
  return {first, height, rest < height ? rest : height};
}

struct TilePlace {
  std::int32_t row_tile = 0;
  std::int32_t col_tile = 0;
};

// Tiles in strips of `strip` row tiles, row tiles fastest within a strip: neighbours in time share
// weights, and a strip's rows stay in L2 while the weights pass by.
ASSAY_HOST_DEVICE constexpr TilePlace place_in_strips(std::int32_t index, std::int32_t row_tiles,
                                                      std::int32_t col_tiles, std::int32_t strip) {
  const std::int32_t number = index / (strip * col_tiles);
  const std::int32_t rest = row_tiles - number * strip;
  const std::int32_t height = rest < strip ? rest : strip;
  const std::int32_t inside = index - number * strip * col_tiles;
  return {number * strip + inside % height, inside / height};
}

struct OutputTile {
  RowTile rows;
  std::int32_t col = 0;  // first column
};

// Output of jagged rows by `cols`, in tiles of kCols columns and rows of about equal height, at
// most kMostRows.
template <int kMostRows, int kCols, int kStrip>
struct EvenTiles {
  static_assert(kMostRows % kHeightUnit == 0);
  std::int32_t col_tiles;

  ASSAY_HOST_DEVICE explicit EvenTiles(std::int32_t cols) : col_tiles(ceil_div(cols, kCols)) {}

  // Tiles of an expert with so many rows.
  ASSAY_HOST_DEVICE std::int32_t operator()(std::int32_t rows) const {
    return count_row_tiles(rows, kMostRows) * col_tiles;
  }
  // Tile `local` of it.
  ASSAY_HOST_DEVICE OutputTile tile(std::int32_t rows, std::int32_t local) const {
    const std::int32_t row_tiles = count_row_tiles(rows, kMostRows);
    const TilePlace place = place_in_strips(local, row_tiles, col_tiles, kStrip);
    return {row_tile(rows, row_tiles, place.row_tile), place.col_tile * kCols};
  }
};

// Output of `rows` by `cols` in tiles of kRows by kCols; the last ones reach past the end.
template <int kRows, int kCols>
struct FixedTiles {
  std::int32_t col_tiles, strip;

  ASSAY_HOST_DEVICE FixedTiles(std::int32_t cols, std::int32_t strip_tiles)
      : col_tiles(ceil_div(cols, kCols)), strip(strip_tiles) {}

  ASSAY_HOST_DEVICE std::int32_t operator()(std::int32_t rows) const {
    return ceil_div(rows, kRows) * col_tiles;
  }
  ASSAY_HOST_DEVICE OutputTile tile(std::int32_t rows, std::int32_t local) const {
    const TilePlace place = place_in_strips(local, ceil_div(rows, kRows), col_tiles, strip);
    const std::int32_t first = place.row_tile * kRows, rest = rows - first;
    return {{first, kRows, rest < kRows ? rest : kRows}, place.col_tile * kCols};
  }
};

}  // namespace assay
