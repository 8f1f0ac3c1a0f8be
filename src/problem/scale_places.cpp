#include "src/problem/scale_places.h"

#include <algorithm>
#include <numeric>

#include "src/core/require.h"

namespace assay {
namespace {

// Grids of w, of places.pitch scales each, where its matrices are: experts may share one.
void place_as_weights(const CaseSpec& spec, ScalePlaces& places) {
  for (const Index place : weight_places(spec)) { places.first.push_back(place * places.pitch); }
  places.extent = spec.experts() * places.pitch;
}

// Grids of size(expert) scales behind each other, in the order of the experts' rows.
template <class Size>
void place_in_turn(const RowLayout& layout, const Size& size, ScalePlaces& places) {
  places.first.resize(layout.starts.size());
  for (const Index expert : experts_in_place(layout)) {
    places.first[expert] = places.extent;
    places.extent += size(expert);
  }
}

ScalePlaces strided_weights(const CaseSpec& spec, const DenseScales& scales) {
  ScalePlaces places;
  places.rows = scales.first[1];
  const bool enk = spec.weights == WeightsLayout::kEnk;
  places.row = enk ? 1 : scales.cols;
  places.col = enk ? places.rows : 1;
  places.pitch = places.rows * scales.cols;
  place_as_weights(spec, places);
  return places;
}

ScalePlaces strided_rows(const CaseSpec& spec, const RowLayout& layout, const DenseScales& scales) {
  const bool aligned = scale_starts_of(spec) == ScaleStarts::kAligned;
  const bool by_physical_rows = scales.follows_rows() || (aligned && scales.by_rows());
  ScalePlaces places;
  places.rows =
      by_physical_rows ? scale_blocks(layout.physical_rows, scales.block_rows) : scales.rows;
  const Index pitch = spec.scale_pitch > 0 ? align_up(places.rows, spec.scale_pitch) : 0;
  places.row = pitch > 0 ? 1 : scales.cols;
  places.col = pitch > 0 ? pitch : 1;
  if (by_physical_rows || scales.shared) {
    for (std::size_t expert = 0; expert < layout.starts.size(); ++expert) {
      const Index row = by_physical_rows ? layout.starts[expert] / scales.block_rows : 0;
      places.first.push_back(row * places.row);
    }
  } else {
    const auto size = [&](Index expert) {
      return (scales.first[expert + 1] - scales.first[expert]) * places.row;
    };
    place_in_turn(layout, size, places);
  }
  places.extent = pitch > 0 ? pitch * scales.cols : places.rows * scales.cols;
  return places;
}

// Whether rows of an operand's grid lie along the reduction.
bool lie_along_rows(const CaseSpec& spec, Role role) {
  const Operation& op = operation(spec.pass);
  const bool is_a = role == op.a.role;
  return is_a ? op.a.transposed : !op.b.transposed;
}

ScalePlaces tiled(const CaseSpec& spec, Role role, const RowLayout& layout,
                  const DenseScales& scales) {
  ScalePlaces places;
  places.tiled = true;
  places.along_rows = lie_along_rows(spec, role);
  const auto size = [&](Index expert) {
    const Index rows = scales.first[expert + 1] - scales.first[expert];
    const Index across = places.along_rows ? scales.cols : rows;
    return align_up(across, kTileAcross) * kTileAlong * places.tiles_along[expert];
  };
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    const Index rows = scales.first[expert + 1] - scales.first[expert];
    const Index along = places.along_rows ? rows : scales.cols;
    places.tiles_along.push_back(scale_blocks(along, kTileAlong));
  }
  if (role == Role::kW) {
    places.pitch = size(0);
    place_as_weights(spec, places);
  } else {
    place_in_turn(layout, size, places);
  }
  return places;
}

// Every expert begins at a multiple of this row.
Index promised_alignment(const CaseSpec& spec) {
  const Index rows = buffer_rows(spec);
  return rows > 0 ? rows : spec.pad;
}

}  // namespace

Index ScalePlaces::at(Index expert, Index own_row, Index own_col) const {
  if (!tiled) { return first[expert] + own_row * row + own_col * col; }
  const Index across = along_rows ? own_col : own_row, along = along_rows ? own_row : own_col;
  const Index tile = across / kTileAcross * tiles_along[expert] + along / kTileAlong;
  return first[expert] + tile * kScalesOfTile +
         at_in_tile(across % kTileAcross, along % kTileAlong);
}

ScalePlaces scale_places(const CaseSpec& spec, Role role, const RowLayout& layout,
                         const DenseScales& scales) {
  ASSAY_REQUIRE(scales.present(), scales.cols);
  const bool read = operation(spec.pass).reads(role);  // an output's scale lies in no tile
  if (read && scale_layout_of(spec) == ScaleLayout::k32x4x4) {
    return tiled(spec, role, layout, scales);
  }
  return role == Role::kW ? strided_weights(spec, scales) : strided_rows(spec, layout, scales);
}

bool has_scales_of_rows(const CaseSpec& spec) {
  return input_block(spec, Role::kX).has_value() || input_block(spec, Role::kY).has_value();
}

bool has_scale_pitch_among(const CaseSpec& spec, std::span<const Index> pitches) {
  if (!has_scales_of_rows(spec)) { return true; }
  if (scale_layout_of(spec) != ScaleLayout::kStrided) { return true; }
  return std::ranges::any_of(pitches, [&](Index pitch) {
    return pitch == 0 ? spec.scale_pitch == 0
                      : spec.scale_pitch > 0 && spec.scale_pitch % pitch == 0;
  });
}

Index rows_of_scale_blocks(const CaseSpec& spec) {
  Index rows = 1;
  for (const Role role : {Role::kX, Role::kY}) {
    const std::optional<OperandBlock> block = input_block(spec, role);
    if (block && block->rows > 0) { rows = std::lcm(rows, block->rows); }
  }
  return rows;
}

Index scale_pitch_of(const CaseSpec& spec) {
  const bool strided = scale_layout_of(spec) == ScaleLayout::kStrided;
  return strided && has_scales_of_rows(spec) ? spec.scale_pitch : 0;
}

bool takes_scale_layout(const CaseSpec& spec) {
  bool scaled = false;
  for (const Role role : kAllRoles) {
    const std::optional<OperandBlock> block = input_block(spec, role);
    if (!block) { continue; }
    scaled = true;
    if (block->rows == 0 && block->cols == 0) { return false; }
  }
  return scaled;
}

bool takes_scale_starts(const CaseSpec& spec) {
  return scale_layout_of(spec) == ScaleLayout::kStrided && rows_of_scale_blocks(spec) > 1;
}

ScaleLayout scale_layout_of(const CaseSpec& spec) {
  return takes_scale_layout(spec) ? spec.scale_layout : ScaleLayout::kStrided;
}

ScaleStarts scale_starts_of(const CaseSpec& spec) {
  if (spec.scale_starts == ScaleStarts::kCompact || !takes_scale_starts(spec)) {
    return ScaleStarts::kCompact;
  }
  return promised_alignment(spec) % rows_of_scale_blocks(spec) == 0 ? ScaleStarts::kAligned
                                                                    : ScaleStarts::kCompact;
}

void settle_scale_words(CaseSpec& spec) {
  spec.scale_layout = scale_layout_of(spec);
  spec.scale_pitch = scale_pitch_of(spec);
  spec.scale_starts = scale_starts_of(spec);
}

}  // namespace assay
