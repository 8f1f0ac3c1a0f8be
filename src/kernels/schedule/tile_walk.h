// TileWalk: the flat space of all experts' output tiles, walked forward. A worker visits tiles
// worker, worker + workers, worker + 2 workers, ...; since its indices only grow, the owner of a
// tile is found by walking on from the last one, without a table. An empty expert costs one step.
#pragma once

#include "src/core/host_device.h"
#include "src/core/index.h"
#include "src/kernels/schedule/group_reader.h"
#include "src/kernels/schedule/tile_shape.h"

namespace assay {

// The output matrices of one pass: fwd [rows of the expert, n], dgrad [rows of the expert, k],
// wgrad [k, n].
struct OutputExtent {
  bool rows_are_jagged = true;
  Index fixed_rows = 0;  // where they are not: wgrad's k
  Index cols = 0;

  ASSAY_HOST_DEVICE constexpr Index rows_of(const RowGroup& group) const {
    return rows_are_jagged ? group.count : fixed_rows;
  }
};
ASSAY_HOST_DEVICE constexpr OutputExtent output_extent(std::int32_t pass, Index k, Index n) {
  return pass == ASSAY_WGRAD ? OutputExtent{false, k, n}
                             : OutputExtent{true, 0, pass == ASSAY_FWD ? n : k};
}

struct ScheduledTile {
  Index expert = 0;
  RowGroup group;   // the expert's rows
  BlockRange rows;  // of the expert's output matrix
  BlockRange cols;
};

class TileWalk {
 public:
  ASSAY_HOST_DEVICE TileWalk(const GroupArrays& arrays, const OutputExtent& extent,
                             const TileShape& shape)
      : reader_(arrays), extent_(extent), shape_(shape), experts_(arrays.experts) {}

  // Moves to the expert that owns tile `flat`; false when there is no such tile.
  // Requires: flat is not below that of the call before.
  ASSAY_HOST_DEVICE bool seek(Index flat) {
    while (flat >= end_tile_) {
      if (expert_ + 1 >= experts_) { return false; }
      ++expert_;
      group_ = reader_.next();
      first_tile_ = end_tile_;
      end_tile_ += tiles_of(extent_.rows_of(group_), extent_.cols, shape_);
    }
    local_ = flat - first_tile_;
    return true;
  }

  // The tile that seek found. Row blocks run fastest, so that workers next to each other read the
  // same weights.
  ASSAY_HOST_DEVICE ScheduledTile tile() const {
    const Index rows = extent_.rows_of(group_);
    const Index row_blocks = blocks_of(rows, shape_.m);
    return {expert_, group_, block_range(rows, shape_.m, local_ % row_blocks),
            block_range(extent_.cols, shape_.n, local_ / row_blocks)};
  }

 private:
  GroupReader reader_;
  OutputExtent extent_;
  TileShape shape_;
  Index experts_ = 0;
  Index expert_ = -1;
  RowGroup group_;
  Index first_tile_ = 0;
  Index end_tile_ = 0;
  Index local_ = 0;
};

// Tiles of a whole call.
ASSAY_HOST_DEVICE inline Index count_tiles(const GroupArrays& arrays, const OutputExtent& extent,
                                           const TileShape& shape) {
  GroupReader reader(arrays);
  Index tiles = 0;
  for (Index expert = 0; expert < arrays.experts; ++expert) {
    tiles += tiles_of(extent.rows_of(reader.next()), extent.cols, shape);
  }
  return tiles;
}

}  // namespace assay
