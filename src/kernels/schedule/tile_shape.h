// TileShape: the blocks into which an expert's output and its reduction are cut, and how many of
// them there are.
#pragma once

#include "src/core/host_device.h"
#include "src/core/index.h"

namespace assay {

struct TileShape {
  Index m = 1;  // output rows
  Index n = 1;  // output columns
  Index k = 1;  // reduction
};

// Requires: count >= 0, block >= 1.
ASSAY_HOST_DEVICE constexpr Index blocks_of(Index count, Index block) {
  return count / block + (count % block != 0 ? 1 : 0);
}

// The part of [0, count) that block `index` covers. Requires: index < blocks_of(count, block).
struct BlockRange {
  Index first = 0;
  Index count = 0;  // less than the block in the tail

  ASSAY_HOST_DEVICE constexpr bool contains(Index i) const {
    return i >= first && i < first + count;
  }
};
ASSAY_HOST_DEVICE constexpr BlockRange block_range(Index count, Index block, Index index) {
  const Index first = index * block;
  const Index rest = count - first;
  return {first, rest < block ? rest : block};
}

// Whether a block is the tail: its kernel masks loads and stores beyond `range.count`.
ASSAY_HOST_DEVICE constexpr bool is_tail(const BlockRange& range, Index block) {
  return range.count < block;
}

// Tiles of one expert's output.
ASSAY_HOST_DEVICE constexpr Index tiles_of(Index rows, Index cols, const TileShape& tile) {
  return blocks_of(rows, tile.m) * blocks_of(cols, tile.n);
}

}  // namespace assay
