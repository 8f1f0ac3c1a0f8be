// Scales that are read where they would lie, were they stored in another way.
#include "src/problem/scale_places.h"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/table.h"
#include "src/harness/memory/scale_image.h"

namespace assay {
namespace {

using Bytes = std::vector<std::byte>;

struct PlacedGrid {
  const Problem& problem;
  Role role;
  const DenseScales& scales = problem.scales[role];
  ScalePlaces places = scale_places(problem.spec, role, problem.layout, scales);

  Index rows(Index expert) const { return scales.first[expert + 1] - scales.first[expert]; }
  Index across(Index row, Index col) const { return places.along_rows ? col : row; }
  Index along(Index row, Index col) const { return places.along_rows ? row : col; }
};

// One way to read them: where an expert's first scale is thought to be, and which scale after that
// is taken for a block of its grid.
struct ReadingPlace {
  std::string_view key, sentence;
  bool (*fits)(const PlacedGrid& grid);
  Index (*first)(const PlacedGrid& grid, Index expert);
  Index (*at)(const PlacedGrid& grid, Index expert, Index row, Index col);
};

bool lies_by_columns(const PlacedGrid& grid) {
  return grid.role != Role::kW && scale_pitch_of(grid.problem.spec) > 0;
}
bool lies_in_tiles(const PlacedGrid& grid) { return grid.places.tiled; }
bool lies_in_tiles_of_rows(const PlacedGrid& grid) {
  return grid.places.tiled && grid.role != Role::kW;
}
bool begins_with_rows(const PlacedGrid& grid) {
  return grid.scales.by_rows() && scale_starts_of(grid.problem.spec) == ScaleStarts::kAligned;
}

Index own_first(const PlacedGrid& grid, Index expert) { return grid.places.first[expert]; }
Index own_at(const PlacedGrid& grid, Index expert, Index row, Index col) {
  return grid.places.at(expert, row, col) - own_first(grid, expert);
}

// Scales of whole tiles before the expert's, where a short one counts for nothing.
Index first_of_whole_tiles(const PlacedGrid& grid, Index expert) {
  Index first = 0;
  for (Index other = 0; other < expert; ++other) {
    const Index rows = grid.rows(other);
    const Index across = grid.across(rows, grid.scales.cols);
    const Index along = grid.along(rows, grid.scales.cols);
    first += across / kTileAcross * scale_blocks(along, kTileAlong) * kScalesOfTile;
  }
  return first;
}

// Where they would begin, were the experts' grids in order and without gaps.
Index first_in_order(const PlacedGrid& grid, Index expert) {
  if (grid.role == Role::kW) { return expert * grid.places.pitch; }
  if (!grid.places.tiled) { return grid.scales.first[expert] * grid.places.row; }
  Index first = 0;
  for (Index other = 0; other < expert; ++other) {
    const Index rows = grid.rows(other);
    first += scale_blocks(grid.across(rows, grid.scales.cols), kTileAcross) *
             grid.places.tiles_along[other] * kScalesOfTile;
  }
  return first;
}

Index in_tile_of(Index tile, Index across, Index along) {
  return tile * kScalesOfTile + at_in_tile(across % kTileAcross, along % kTileAlong);
}

const ReadingPlace kReadingPlaces[] = {
    {"by rows", "scales are read row by row, though they lie column by column", lies_by_columns,
     [](const PlacedGrid& grid, Index expert) {
       return own_first(grid, expert) * grid.scales.cols;
     },
     [](const PlacedGrid& grid, Index, Index row, Index col) {
       return row * grid.scales.cols + col;
     }},
    {"no gaps",
     "columns of scales are taken to be as far apart as they have rows (scale_pitch is ignored)",
     lies_by_columns, own_first,
     [](const PlacedGrid& grid, Index, Index row, Index col) {
       return row + col * grid.places.rows;
     }},
    {"no tiles", "scales are read row by row, though they lie in tiles of 32_4_4", lies_in_tiles,
     own_first,
     [](const PlacedGrid& grid, Index expert, Index row, Index col) {
       const Index pitch = kTileAlong * grid.places.tiles_along[expert];
       return grid.across(row, col) * pitch + grid.along(row, col);
     }},
    {"plain tiles", "scales are read row by row within their tile of 128 by 4, not as 32_4_4",
     lies_in_tiles, own_first,
     [](const PlacedGrid& grid, Index expert, Index row, Index col) {
       const Index across = grid.across(row, col), along = grid.along(row, col);
       const Index in_tile = across % kTileAcross * kTileAlong + along % kTileAlong;
       return own_at(grid, expert, row, col) - in_tile_of(0, across, along) + in_tile;
     }},
    {"turned tiles", "tiles of scales are taken to follow each other across the output first",
     lies_in_tiles, own_first,
     [](const PlacedGrid& grid, Index expert, Index row, Index col) {
       const Index across = grid.across(row, col), along = grid.along(row, col);
       const Index rows = grid.rows(expert);
       const Index tiles_across = scale_blocks(grid.across(rows, grid.scales.cols), kTileAcross);
       return in_tile_of(along / kTileAlong * tiles_across + across / kTileAcross, across, along);
     }},
    {"fewer tiles", "a short last tile of scales along the reduction is not counted", lies_in_tiles,
     own_first,
     [](const PlacedGrid& grid, Index expert, Index row, Index col) {
       const Index across = grid.across(row, col), along = grid.along(row, col);
       const Index whole = std::max<Index>(1, grid.places.tiles_along[expert] - 1);
       return in_tile_of(across / kTileAcross * whole + along / kTileAlong, across, along);
     }},
    {"whole tiles",
     "short last tiles of the experts before are not counted: scales begin too early",
     lies_in_tiles_of_rows, first_of_whole_tiles, own_at},
    {"tiles by rows", "tiles of scales are taken to begin where the expert's rows do",
     [](const PlacedGrid& grid) { return grid.places.tiled && grid.scales.follows_rows(); },
     [](const PlacedGrid&, Index) { return Index{0}; },
     [](const PlacedGrid& grid, Index expert, Index row, Index col) {
       const Index across = grid.problem.layout.starts[expert] + row;
       const Index tiles = grid.places.tiles_along[expert];
       return in_tile_of(across / kTileAcross * tiles + col / kTileAlong, across, col);
     }},
    {"compact starts",
     "an expert's blocks of scales are taken to follow those of the experts before, though they "
     "begin with its rows",
     begins_with_rows, first_in_order, own_at},
    {"pointers ignored",
     "pointers to scales are ignored: they are read where they would be, did the experts adjoin",
     [](const PlacedGrid& grid) { return grid.problem.spec.pointers != Pointers::kInOrder; },
     first_in_order, own_at},
};

// The expert's scales as they are read, row by row; what lies beyond the image is NaN.
Bytes read_as(const ReadingPlace& reading, const PlacedGrid& grid, const Bytes& image,
              Index expert) {
  const DenseScales& scales = grid.scales;
  const Index size = traits(scales.format).size_bytes;
  const Index rows = grid.rows(expert);
  Bytes read(static_cast<std::size_t>(rows * scales.cols * size), std::byte{0xff});
  const Index first = reading.first(grid, expert);
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < scales.cols; ++col) {
      const Index at = first + reading.at(grid, expert, row, col);
      if (at >= grid.places.extent) { continue; }
      std::copy_n(image.begin() + at * size, size, read.begin() + (row * scales.cols + col) * size);
    }
  }
  return read;
}

// Scales as they lie in memory.
struct StoredGrid {
  PlacedGrid grid;
  Bytes image;
};

std::vector<StoredGrid> stored_grids(const Evidence& evidence) {
  std::vector<StoredGrid> stored;
  for (const Role role : kAllRoles) {
    const DenseScales& scales = evidence.problem.scales[role];
    if (!scales.present() || scales.shared) { continue; }
    stored.push_back({{evidence.problem, role}, store_scales(evidence.problem, role, false)});
  }
  return stored;
}

// Points the expert's factors at their scales as they are read.
bool read_scales_as(const Evidence& evidence, const ReadingPlace& reading,
                    std::span<const StoredGrid* const> grids, Index expert, ClaimedPart& part) {
  using enum oracle::Factor;
  for (const auto& [factor, matrix] : {std::pair{kA, &part.product.a}, {kB, &part.product.b}}) {
    const auto [role, transposed] = role_of(evidence.problem.spec.pass, factor);
    for (const StoredGrid* stored : grids) {
      if (stored->grid.role != role) { continue; }
      auto read =
          std::make_shared<const Bytes>(read_as(reading, stored->grid, stored->image, expert));
      oracle::ScaleGrid& grid = matrix->scales;
      grid.data = read->data();
      grid.row_stride = transposed ? 1 : stored->grid.scales.cols;
      grid.col_stride = transposed ? stored->grid.scales.cols : 1;
      part.storage.push_back(std::move(read));
    }
  }
  return !part.storage.empty();
}

void claim_reading(const Evidence& evidence, const ReadingPlace& reading,
                   std::span<const StoredGrid* const> grids, std::optional<Role> only,
                   std::vector<Claim>& claims) {
  Claim claim{.key = std::string(reading.key), .sentence = std::string(reading.sentence)};
  if (only) {
    claim.key += fmt::format(" {}", name(*only));
    claim.sentence += fmt::format(" (those of {})", name(*only));
  }
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kValue);
    if (read_scales_as(evidence, reading, grids, expert, part)) {
      claim.parts.push_back(std::move(part));
    }
  }
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

}  // namespace

void propose_other_scale_places(const Evidence& evidence, std::vector<Claim>& claims) {
  const std::vector<StoredGrid> stored = stored_grids(evidence);
  for (const ReadingPlace& reading : kReadingPlaces) {
    std::vector<const StoredGrid*> fitting;
    for (const StoredGrid& each : stored) {
      if (reading.fits(each.grid)) { fitting.push_back(&each); }
    }
    claim_reading(evidence, reading, fitting, {}, claims);
    if (fitting.size() < 2) { continue; }  // one alone is all of them
    for (const StoredGrid* each : fitting) {
      claim_reading(evidence, reading, {&each, 1}, each->grid.role, claims);
    }
  }
}

}  // namespace assay
