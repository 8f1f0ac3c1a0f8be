// TileWalk: the flat space of all experts' output tiles, walked forward. A worker visits tiles
// worker, worker + workers, worker + 2 workers, ...; since its indices only grow, the owner of a
// tile is found by walking on from the last one, without a table. An empty expert costs one step.
// The walk itself is the GPU kernels': see expert_walk.h.
#pragma once

#include "src/core/index.h"
#include "src/kernels/schedule/expert_walk.h"
#include "src/kernels/schedule/group_reader.h"
#include "src/kernels/schedule/host_lanes.h"
#include "src/kernels/schedule/tile_shape.h"

namespace assay {

// The output matrices of one pass: fwd [rows of the expert, n], dgrad [rows of the expert, k],
// wgrad [k, n].
struct OutputExtent {
  bool rows_are_jagged = true;
  Index fixed_rows = 0;  // where they are not: wgrad's k
  Index cols = 0;

  constexpr Index rows_of(Index expert_rows) const {
    return rows_are_jagged ? expert_rows : fixed_rows;
  }
};
constexpr OutputExtent output_extent(std::int32_t pass, Index k, Index n) {
  return pass == ASSAY_WGRAD ? OutputExtent{false, k, n}
                             : OutputExtent{true, 0, pass == ASSAY_FWD ? n : k};
}

struct ScheduledTile {
  Index expert = 0;
  RowGroup group;   // the expert's rows
  BlockRange rows;  // of the expert's output matrix
  BlockRange cols;
};

// The experts of a call in turn, as the reader of all conventions gives them. One lane: a reader
// never goes back.
class ReaderGroups {
 public:
  using Warp = HostLanes<1>;
  using Number = Index;
  using Group = WalkGroup<Number>;

  explicit ReaderGroups(const GroupArrays& arrays) : reader_(arrays), experts_(arrays.experts) {}

  Index experts() const { return experts_; }
  static bool reversed() { return false; }
  Warp::Of<Group> read(Index next, Index) {
    const RowGroup group = reader_.next();
    return {Group{next, group.start, group.start + group.count, true}};
  }

 private:
  GroupReader reader_;
  Index experts_ = 0;
};

class TileWalk {
 public:
  TileWalk(const GroupArrays& arrays, const OutputExtent& extent, const TileShape& shape)
      : walk_(ReaderGroups(arrays)), extent_(extent), shape_(shape) {}

  // Moves to the expert that owns tile `flat`; false when there is no such tile.
  // Requires: flat is not below that of the call before.
  bool seek(Index flat) {
    flat_ = flat;
    return walk_.seek(
        flat, [&](Index rows) { return tiles_of(extent_.rows_of(rows), extent_.cols, shape_); });
  }

  // The tile that seek found. Row blocks run fastest, so that workers next to each other read the
  // same weights.
  ScheduledTile tile() const {
    const Index rows = extent_.rows_of(walk_.rows()), local = walk_.local(flat_);
    const Index row_blocks = blocks_of(rows, shape_.m);
    return {walk_.expert(),
            {walk_.first_row(), walk_.rows()},
            block_range(rows, shape_.m, local % row_blocks),
            block_range(extent_.cols, shape_.n, local / row_blocks)};
  }

 private:
  ExpertWalk<ReaderGroups> walk_;
  OutputExtent extent_;
  TileShape shape_;
  Index flat_ = 0;
};

// Tiles of a whole call.
inline Index count_tiles(const GroupArrays& arrays, const OutputExtent& extent,
                         const TileShape& shape) {
  GroupReader reader(arrays);
  Index tiles = 0;
  for (Index expert = 0; expert < arrays.experts; ++expert) {
    tiles += tiles_of(extent.rows_of(reader.next().count), extent.cols, shape);
  }
  return tiles;
}

}  // namespace assay
