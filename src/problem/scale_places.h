// Where the scales of an operand lie in a kernel's memory.
#pragma once

#include <vector>

#include "src/problem/row_layout.h"
#include "src/problem/scales.h"

namespace assay {

// Tiles as NVIDIA's block-scaled instructions of sm_100 read them (SWIZZLE_32_4_4 of cuBLAS): 128
// blocks across the output by 4 along the reduction, in the order of at_in_tile.
inline constexpr Index kTileAcross = 128, kTileAlong = 4, kScalesOfTile = 512;
// Requires: across < 128, along < 4.
constexpr Index at_in_tile(Index across, Index along) {
  return across % 32 * 16 + across / 32 * 4 + along;
}

struct ScalePlaces {
  Index row = 0, col = 1;      // strided: scales between neighbouring blocks
  Index rows = 0;              // strided: of the grid; of w, one expert's
  std::vector<Index> first{};  // scales before each expert's first
  Index pitch = 0;             // of w, between experts in order
  Index extent = 0;            // of all of them, gaps included
  bool tiled = false;
  bool along_rows = false;           // tiled: rows of the grid lie along the reduction
  std::vector<Index> tiles_along{};  // tiled: of each expert's grid

  // Scales before that of a block of the expert, counted in its own grid.
  Index at(Index expert, Index own_row, Index own_col) const;
};
// `layout` is that of spec's rows. Requires: scales.present().
ScalePlaces scale_places(const CaseSpec& spec, Role role, const RowLayout& layout,
                         const DenseScales& scales);

// Whether x or y has scales: those that scale_pitch is about.
bool has_scales_of_rows(const CaseSpec& spec);
// Whether its scale_pitch is a multiple of one in the list, 0 of 0 alone; true without such scales.
bool has_scale_pitch_among(const CaseSpec& spec, std::span<const Index> pitches);
// What scale_pitch, scale_layout and scale_starts come to: tiles want blocks of each scaled
// operand, aligned starts want strides, blocks of several rows, and experts that begin at multiples
// of them.
Index scale_pitch_of(const CaseSpec& spec);
// The least common multiple of the rows of a block of x and y; 1 without blocks of several.
Index rows_of_scale_blocks(const CaseSpec& spec);
// Whether scale_layout and scale_starts make a difference.
bool takes_scale_layout(const CaseSpec& spec);
bool takes_scale_starts(const CaseSpec& spec);
ScaleLayout scale_layout_of(const CaseSpec& spec);
ScaleStarts scale_starts_of(const CaseSpec& spec);
// Replaces the three by that, as parse_case wants them.
void settle_scale_words(CaseSpec& spec);

}  // namespace assay
