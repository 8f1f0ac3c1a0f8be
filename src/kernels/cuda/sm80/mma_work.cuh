// The tiles of mma_kernel: their shape, where their operands lie and which of them a block takes.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/device_lanes.cuh"
#include "src/kernels/cuda/sm80/arguments.cuh"
#include "src/kernels/cuda/sm80/mma_tile.cuh"
#include "src/kernels/schedule/expert_walk.h"
#include "src/kernels/schedule/row_tiles.h"

namespace assay {

using DeviceWalk = ExpertWalk<OffsetGroups<DeviceWarp>>;

// Row tiles of a strip: with tiles of 128 by 256 and some 100 blocks, strips of 16 read the least.
inline constexpr int kMmaStrip = 16;

enum class MmaProduct { kRowsKMajor, kRowsMnMajor, kGradient };

// Eight warps: two down, four across. A warp's tile is as square as it can be, so that reading the
// operands from shared memory takes less time than multiplying them.
template <class ElementType, class OutType, MmaProduct kWhich, int kTileRows>
struct MmaConfig {
  using Element = ElementType;
  using Out = OutType;
  static constexpr bool kGradient = kWhich == MmaProduct::kGradient;
  static constexpr int kRows = kTileRows, kCols = 256;
  using Tiles = FixedTiles<kRows, kCols>;
  static constexpr int kWarpsDown = 2, kWarpsAcross = 4;
  static_assert(kWarpsDown * kWarpsAcross * 32 == kMmaThreads);
  static constexpr int kWarpRows = kRows / kWarpsDown, kWarpCols = kCols / kWarpsAcross;
  static constexpr int kDown = kWarpRows / 16, kAcross = kWarpCols / 8;
  static_assert(kWarpRows % 16 == 0, "the instruction's M");
  static_assert(kWarpCols % 32 == 0, "a quad stores four column blocks of 8 at a time");
  static_assert(kRows % 64 == 0 && kCols % 64 == 0, "MN-major tiles are boxes of 64");
  using Left = MmaTile<kRows, kGradient>;
  using Right = MmaTile<kCols, kWhich != MmaProduct::kRowsKMajor>;
  static constexpr int kStageBytes = Left::kBytes + Right::kBytes;
  static constexpr int kStepsAStage = kMmaBlockK / 16;
};

// Where the output of a tile goes.
struct MmaTarget {
  std::uint8_t* out;        // of the tile's first row and column
  std::int32_t rows, cols;  // of the tile that exist
};

// What one tile reads and writes.
struct MmaWork {
  MmaSource left, right;
  std::int32_t steps;  // stages of the reduction
  MmaTarget target;
};

template <class Config>
__device__ inline MmaWork describe_work(const MmaArguments& args, const DeviceWalk& walk,
                                        std::int32_t flat) {
  constexpr Index kOutBytes = sizeof(typename Config::Out);
  const auto* left = static_cast<const std::uint16_t*>(args.left.data);
  const auto* right = static_cast<const std::uint16_t*>(args.right.data);
  const std::int32_t out_rows = Config::kGradient ? args.out_rows : walk.rows();
  const OutputTile tile =
      typename Config::Tiles(args.cols, kMmaStrip).tile(out_rows, walk.local(flat));
  const std::int32_t row = tile.rows.first, col = tile.col;
  const std::int32_t rows = out_rows - row, cols = args.cols - col;
  auto* out = static_cast<std::uint8_t*>(args.out);
  const Index first = walk.first_row();
  if constexpr (Config::kGradient) {
    return {
        {left + first * args.left.ld + row, rows, walk.rows()},
        {right + first * args.right.ld + col, cols, walk.rows()},
        ceil_div(walk.rows(), kMmaBlockK),
        {out + (walk.expert() * args.out_pitch + row * args.out_ld + col) * kOutBytes, rows, cols}};
  } else {
    right += walk.expert() * args.right.pitch;
    right += Config::Right::kMn ? Index{col} : col * args.right.ld;
    return {{left + (first + row) * args.left.ld, rows, args.depth},
            {right, cols, args.depth},
            ceil_div(args.depth, kMmaBlockK),
            {out + ((first + row) * args.out_ld + col) * kOutBytes, rows, cols}};
  }
}

// The list of tiles of one block, as every warp walks it.
template <class Config>
class MmaTiles {
 public:
  __device__ MmaTiles(const MmaArguments& args, const GroupTable* groups)
      : args_(args), walk_({args.offsets, groups, false, false}), flat_(blockIdx.x) {}

  __device__ __forceinline__ bool next(MmaWork& work) {
    const typename Config::Tiles tiles(args_.cols, kMmaStrip);
    const std::int32_t gradient_tiles = tiles(args_.out_rows);
    // A gradient's tiles are written for experts without rows too, unless they keep what is there.
    auto tiles_of = [&](std::int32_t rows) {
      if (!Config::kGradient) { return tiles(rows); }
      return rows > 0 || args_.accumulate == 0 ? gradient_tiles : 0;
    };
    if (!walk_.seek(flat_, tiles_of)) { return false; }
    work = describe_work<Config>(args_, walk_, flat_);
    flat_ += static_cast<std::int32_t>(gridDim.x);
    return true;
  }

 private:
  const MmaArguments& args_;
  DeviceWalk walk_;
  std::int32_t flat_;
};

}  // namespace assay
