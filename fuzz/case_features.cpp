#include "fuzz/case_features.h"

#include <algorithm>
#include <iterator>

#include "src/kernels/schedule/tile_shape.h"
#include "src/problem/offsets.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr TileShape kUndeclaredTile = {64, 64, 64};

Index inputs_kind(const Inputs& in) {
  return in.alike() ? static_cast<Index>(in.a.format) : kInputKinds - 1;
}

Index pass_index(const CaseSpec& spec) { return static_cast<Index>(spec.pass); }

template <class T>
Index place_in(const std::vector<T>& list, const T& item) {
  return std::find(list.begin(), list.end(), item) - list.begin();
}

TileShape tile_of(const CaseSpec& spec, const Manifest& manifest) {
  for (const DeclaredTile& tile : manifest.tiles) {
    if (tile.tactic == spec.tactic) { return {tile.m, tile.n, tile.k}; }
  }
  if (manifest.tiles.empty()) { return kUndeclaredTile; }
  return {manifest.tiles[0].m, manifest.tiles[0].n, manifest.tiles[0].k};
}

void mark_kinds(const CaseSpec& spec, const Manifest& manifest) {
  const Index pass = pass_index(spec);
  const Index kind = place_in(all_offsets_kinds(), spec.offsets);
  mark_feature(FeatureGroup::kConvention, (kind * 3 + pass) * 2 + static_cast<Index>(spec.weights));
  mark_feature(FeatureGroup::kFormats,
               ((pass * kInputKinds + inputs_kind(spec.in)) * std::ssize(kAllFormats) +
                static_cast<Index>(spec.out.format)) *
                       2 +
                   (adds_to_sums(spec) || spec.out.scaled ? 1 : 0));
  mark_feature(FeatureGroup::kFill, static_cast<Index>(spec.fill) * 3 + pass);
  // "default" is 0, a tactic that the kernel does not have the last.
  const Index tactic = spec.tactic == "default" ? 0 : 1 + place_in(manifest.tactics, spec.tactic);
  mark_feature(FeatureGroup::kTactic, std::min<Index>(tactic, 15) * 3 + pass);
  const auto any = [](const PerOperand<Index>& field) {
    return (field.x | field.w | field.y) != 0;
  };
  const Index extras = (spec.pad > 1 ? 1 : 0) + (spec.tail > 0 ? 2 : 0) + (any(spec.ld) ? 4 : 0) +
                       (spec.wpitch > 0 ? 8 : 0) + (any(spec.base) ? 16 : 0);
  mark_feature(FeatureGroup::kExtras, extras * 3 + pass);
}

void mark_empty_runs(const CaseSpec& spec) {
  const auto experts = spec.experts();
  for (Index first = 0; first < experts;) {
    Index end = first;
    while (end < experts && spec.rows[end] == 0) { ++end; }
    if (end > first) {
      const Index place = first == 0 ? (end == experts ? 3 : 0) : end == experts ? 2 : 1;
      mark_feature(FeatureGroup::kEmptyRun, place * kLog2Buckets + log2_bucket(end - first));
    }
    first = end + 1;
  }
  mark_feature(FeatureGroup::kExperts, log2_bucket(experts));
}

void mark_tail(FeatureGroup group, Index pass, Index count, Index block) {
  mark_feature(group, pass * kPlaceBuckets + place_bucket(count % block, block));
}

void mark_starts(const CaseSpec& spec, const TileShape& tile) {
  const RowLayout layout = lay_out_rows(spec);
  Index block = -1;
  Index in_block = 0;
  for (std::size_t g = 0; g < layout.starts.size(); ++g) {
    if (layout.counts[g] == 0) { continue; }
    mark_tail(FeatureGroup::kStartInTile, pass_index(spec), layout.starts[g], tile.m);
    // How many experts a block of tile height would meet, were experts not kept apart.
    const Index here = layout.starts[g] / tile.m;
    in_block = here == block ? in_block + 1 : 1;
    block = here;
    mark_feature(FeatureGroup::kGroupsInTile, log2_bucket(in_block));
  }
}

void mark_tiles(const CaseSpec& spec, const TileShape& tile) {
  const Index pass = pass_index(spec);
  const Operation& op = operation(spec.pass);
  const Index cols = axis_sizes(spec, 0)[op.n()];
  Index tiles = 0;
  for (const Index count : spec.rows) {
    const AxisSizes sizes = axis_sizes(spec, count);
    const Index rows = sizes[op.m()], depth = sizes[op.depth()];
    tiles += tiles_of(rows, cols, tile);
    if (count == 0) { continue; }
    mark_tail(FeatureGroup::kRowTail, pass, rows, tile.m);
    mark_tail(FeatureGroup::kDepthTail, pass, depth, tile.k);
    mark_feature(FeatureGroup::kDepthTiles,
                 pass * kLog2Buckets + log2_bucket(blocks_of(depth, tile.k)));
  }
  mark_tail(FeatureGroup::kColumnTail, pass, cols, tile.n);
  mark_feature(FeatureGroup::kTiles, pass * kLog2Buckets + log2_bucket(tiles));
}

}  // namespace

void mark_case_features(const CaseSpec& spec, const Manifest& manifest) {
  const TileShape tile = tile_of(spec, manifest);
  mark_kinds(spec, manifest);
  mark_empty_runs(spec);
  mark_starts(spec, tile);
  mark_tiles(spec, tile);
}

void mark_verdict_features(const CaseSpec& spec, const Verdict& verdict) {
  mark_feature(FeatureGroup::kVerdict, static_cast<Index>(verdict.kind));
  if (verdict.elements == 0) { return; }
  const Index cell = pass_index(spec) * kInputKinds + inputs_kind(spec.in);
  mark_feature(FeatureGroup::kErrorOverBound,
               cell * kRatioBuckets + ratio_bucket(verdict.worst_ratio));
}

}  // namespace assay
