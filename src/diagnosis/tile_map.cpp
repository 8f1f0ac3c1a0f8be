#include "src/diagnosis/tile_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/counted.h"
#include "src/diagnosis/matrix_block.h"
#include "src/harness/judge/dequantised.h"
#include "src/harness/judge/judge_case.h"

namespace assay {
namespace {

constexpr Index kScreenColumns = 64, kScreenRows = 16;  // tiles, of one expert
constexpr std::size_t kMaxLines = 48;

// The least power of two that leaves at most `most` tiles.
Index tile_size(Index length, Index most) {
  Index size = 1;
  while (size * most < length) { size *= 2; }
  return size;
}

Tile judge_tile(const oracle::Product& product, Tile tile, const oracle::Arithmetic& arithmetic,
                bool exact_input) {
  oracle::Product part = product;
  part.got = block(product.got, tile.row, tile.col, tile.rows, tile.cols);
  part.c = block(product.c, tile.row, tile.col, tile.rows, tile.cols);
  part.a = block(product.a, tile.row, 0, tile.rows, product.a.cols);
  part.b = block(product.b, 0, tile.col, product.b.rows, tile.cols);
  part.previous = {};
  const oracle::Judgement judgement = oracle::judge_fast(
      {&part, 1}, arithmetic, {.exact_input = exact_input, .skip_trivial = true});
  tile.wrong = judgement.wrong;
  tile.worst_ratio = judgement.worst_ratio;
  return tile;
}

char mark(const Tile& tile) {
  return tile.wrong == 0 ? '.' : tile.wrong < tile.rows * tile.cols ? '+' : '#';
}

}  // namespace

bool ExpertTiles::any_wrong() const {
  return std::any_of(tiles.begin(), tiles.end(), [](const Tile& tile) { return tile.wrong > 0; });
}

TileMap make_tile_map(const Problem& problem, const Manifest& manifest,
                      const std::vector<std::byte>& output, const TileMapOptions& options) {
  const MultipliedCase multiplied(problem, manifest.arithmetic);
  const std::vector<oracle::Product> products = products_of(*multiplied, output.data());
  const oracle::Arithmetic arithmetic = to_oracle(manifest, multiplied->spec);
  Index most_rows = 0, most_cols = 0;
  for (const oracle::Product& product : products) {
    most_rows = std::max(most_rows, product.got.rows);
    most_cols = std::max(most_cols, product.got.cols);
  }
  TileMap map{
      .tile_rows = options.tile_rows > 0 ? options.tile_rows : tile_size(most_rows, kScreenRows),
      .tile_cols =
          options.tile_cols > 0 ? options.tile_cols : tile_size(most_cols, kScreenColumns)};
  for (std::size_t expert = 0; expert < products.size(); ++expert) {
    const oracle::Matrix& got = products[expert].got;
    ExpertTiles tiles{.expert = static_cast<Index>(expert),
                      .tiles_across = (got.cols + map.tile_cols - 1) / map.tile_cols};
    for (Index row = 0; row < got.rows; row += map.tile_rows) {
      for (Index col = 0; col < got.cols; col += map.tile_cols) {
        tiles.tiles.push_back(judge_tile(products[expert],
                                         {.row = row,
                                          .col = col,
                                          .rows = std::min(map.tile_rows, got.rows - row),
                                          .cols = std::min(map.tile_cols, got.cols - col)},
                                         arithmetic, is_exact(problem.spec.fill)));
      }
    }
    map.experts.push_back(std::move(tiles));
  }
  return map;
}

std::string tile_map_text(const TileMap& map) {
  std::string text =
      fmt::format("tiles of {}x{} elements: '.' right, '+' partly wrong, '#' all wrong\n",
                  map.tile_rows, map.tile_cols);
  Index right = 0;
  std::size_t lines = 0, left_out = 0;
  for (const ExpertTiles& expert : map.experts) {
    if (!expert.any_wrong()) {
      ++right;
      continue;
    }
    for (std::size_t first = 0; first < expert.tiles.size();
         first += static_cast<std::size_t>(expert.tiles_across)) {
      if (lines == kMaxLines) {
        ++left_out;
        continue;
      }
      ++lines;
      std::string marks;
      for (Index across = 0; across < expert.tiles_across; ++across) {
        marks += mark(expert.tiles[first + static_cast<std::size_t>(across)]);
      }
      text += fmt::format("  expert {:>4}  row {:>6}  {}\n", expert.expert, expert.tiles[first].row,
                          marks);
    }
  }
  if (left_out > 0) { text += fmt::format("  {} more lines\n", left_out); }
  if (right > 0) { text += "  " + counted(right, "expert") + " without a wrong element\n"; }
  return text;
}

}  // namespace assay
