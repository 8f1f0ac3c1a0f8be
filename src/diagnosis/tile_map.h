// TileMap: where a wrong output is wrong: worst error over bound and wrong elements of each tile,
// expert by expert.
#pragma once

#include <string>
#include <vector>

#include "src/contract/manifest.h"
#include "src/problem/problem.h"

namespace assay {

struct Tile {
  Index row = 0, col = 0, rows = 0, cols = 0;  // of the expert's own output matrix
  Index wrong = 0;
  double worst_ratio = 0;
};

struct ExpertTiles {
  Index expert = 0;
  Index tiles_across = 0;
  std::vector<Tile> tiles{};  // row-major

  bool any_wrong() const;
};

struct TileMap {
  Index tile_rows = 0, tile_cols = 0;
  std::vector<ExpertTiles> experts{};
};

struct TileMapOptions {
  Index tile_rows = 0, tile_cols = 0;  // 0: so that the map fits a screen
};
TileMap make_tile_map(const Problem& problem, const Manifest& manifest,
                      const std::vector<std::byte>& output, const TileMapOptions& options = {});

// One line a row of tiles: '.' right, '+' some elements wrong, '#' all wrong. Experts without a
// wrong element are told in one line together.
std::string tile_map_text(const TileMap& map);

}  // namespace assay
