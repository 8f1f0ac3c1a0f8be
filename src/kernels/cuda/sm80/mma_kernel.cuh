// mma_kernel: the three products on mma.sync, for Ampere and later. Persistent blocks take every
// gridDim-th tile; each warp finds it from the offsets by itself.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/sm80/mma_accumulators.cuh"
#include "src/kernels/cuda/sm80/mma_pipeline.cuh"
#include "src/kernels/cuda/sm80/mma_work.cuh"

namespace assay {

// Where a lane's parts of a warp's fragments lie in a stage, in bytes.
struct MmaPlace {
  std::uint32_t left, right;
};

// The operands of one step of 16 of the reduction.
template <class Config>
struct MmaFragments {
  std::uint32_t left[Config::kDown][4], right[Config::kAcross / 2][4];

  __device__ __forceinline__ void read(std::uint32_t stage, const MmaPlace& place, int step) {
#pragma unroll
    for (int i = 0; i < Config::kDown; ++i) {
      Config::Left::read(left[i], stage + place.left, i, step);
    }
#pragma unroll
    for (int j = 0; j < Config::kAcross / 2; ++j) {
      Config::Right::read(right[j], stage + place.right, j, step);
    }
  }

  __device__ __forceinline__ void multiply(MmaAccumulators<Config>& accumulators) const {
#pragma unroll
    for (int i = 0; i < Config::kDown; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kAcross; ++j) {
        mma_m16n8k16<typename Config::Element>(accumulators[i][j], left[i], right[j / 2][j % 2 * 2],
                                               right[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
};

// Each step's fragments are read while those of the step before are multiplied.
template <class Config>
__device__ __forceinline__ void multiply_steps(MmaAccumulators<Config>& accumulators,
                                               MmaPipeline<Config>& pipeline, std::int32_t steps,
                                               const MmaPlace& place) {
  if (steps == 0) { return; }
  MmaFragments<Config> fragments[2];
  std::uint32_t stage = pipeline.next();
  fragments[0].read(stage, place, 0);
  for (std::int32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < Config::kStepsAStage; ++k) {
      const bool last = k + 1 == Config::kStepsAStage;
      if (last) {
        stage = pipeline.next();  // past the end: not used
      }
      fragments[(k + 1) % 2].read(stage, place, last ? 0 : k + 1);
      if (k == 0) { pipeline.refill(step); }
      fragments[k % 2].multiply(accumulators);
    }
  }
}

template <class Config>
__global__ void __launch_bounds__(kMmaThreads, 1)
    mma_kernel(const __grid_constant__ MmaArguments args) {
  extern __shared__ __align__(128) std::uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<MmaShared<Config>*>(shared_bytes);
  const bool fits = args.offsets.experts <= kTableExperts;
  if (fits) { read_groups<DeviceBlock>(args.offsets, shared.groups); }
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / Config::kWarpsAcross * Config::kWarpRows;
  const int warp_col = warp % Config::kWarpsAcross * Config::kWarpCols;
  const MmaPlace place{Config::Left::left_place(warp_row),
                       Config::Left::kBytes + Config::Right::right_place(warp_col)};
  MmaTiles<Config> tiles(args, fits ? &shared.groups : nullptr);
  MmaPipeline<Config> pipeline(args, shared);
  MmaWork work;
  if (!tiles.next(work)) { return; }
  pipeline.start(work);
  for (bool more = true; more;) {
    MmaAccumulators<Config> accumulators{};
    const MmaTarget target = work.target;
    if (kIsFp32<typename Config::Out> && args.accumulate != 0) {
      load_accumulators<Config>(accumulators, args, target, warp_row, warp_col);
    }
    multiply_steps<Config>(accumulators, pipeline, work.steps, place);
    // The next tile's copies start before this one is stored.
    more = tiles.next(work);
    __syncthreads();
    if (more) { pipeline.start(work); }
    store_accumulators<Config>(accumulators, args, target, warp_row, warp_col);
  }
}

}  // namespace assay
