// SplitPlan: the reduction of one output tile cut into parts at multiples of the k tile. In wgrad
// the reduction is the expert's rows, so a hot expert has long ones; cut, its parts can be reduced
// one after another (the cpu kernel, which carries the sums on) or by several workers. A function
// of the reduction's length alone: the same in every run.
#pragma once

#include "src/core/host_device.h"
#include "src/core/index.h"
#include "src/kernels/schedule/tile_shape.h"

namespace assay {

class SplitPlan {
 public:
  // `depth` steps of reduction in k tiles, at most `part_tiles` tiles a part. An empty reduction
  // has one empty part, since its zeros have to be written too. Requires: k_tile, part_tiles at
  // least 1.
  ASSAY_HOST_DEVICE constexpr SplitPlan(Index depth, Index k_tile, Index part_tiles)
      : depth_(depth), k_tile_(k_tile), tiles_(blocks_of(depth, k_tile)) {
    const Index wanted = blocks_of(tiles_, part_tiles);
    parts_ = wanted > 1 ? wanted : 1;
  }

  ASSAY_HOST_DEVICE constexpr Index parts() const { return parts_; }

  // Part `index` of the reduction; parts ascend, meet, and differ by at most one k tile.
  ASSAY_HOST_DEVICE constexpr BlockRange part(Index index) const {
    const Index first = boundary(index);
    return {first, boundary(index + 1) - first};
  }

 private:
  ASSAY_HOST_DEVICE constexpr Index boundary(Index index) const {
    // The first tiles_ % parts_ parts take one tile more.
    const Index rest = tiles_ % parts_;
    const Index tile = index * (tiles_ / parts_) + (index < rest ? index : rest);
    const Index at = tile * k_tile_;
    return at < depth_ ? at : depth_;
  }

  Index depth_ = 0;
  Index k_tile_ = 1;
  Index tiles_ = 0;
  Index parts_ = 1;
};

}  // namespace assay
