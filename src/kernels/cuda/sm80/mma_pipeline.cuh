// The stages of a tile in flight: copies from memory that run ahead of the products.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/sm80/mma_work.cuh"
#include "src/kernels/schedule/group_table.h"

namespace assay {

// Hopper and the A100 hold three stages, the other multiprocessors of this instruction two.
inline constexpr int kMinStages = 2, kMaxStages = 3;
inline constexpr int kMinSharedLimit = 101376;  // 99 KiB, of compute capability 8.6 and 8.9

template <class Config>
struct MmaShared {
  alignas(128) GroupTable groups;
  alignas(128) std::uint8_t stages[kMaxStages][Config::kStageBytes];  // args.stages of them
};

template <class Config>
constexpr int mma_shared_bytes(int stages) {
  return static_cast<int>(sizeof(MmaShared<Config>)) - (kMaxStages - stages) * Config::kStageBytes;
}

// A group of copies a stage, empty past the tile's end.
template <class Config>
class MmaPipeline {
 public:
  __device__ MmaPipeline(const MmaArguments& args, MmaShared<Config>& shared)
      : args_(args), shared_(shared) {}

  // Copies the first stages of a tile. Requires: all warps are done with the tile before.
  __device__ __forceinline__ void start(const MmaWork& work) {
    left_ = typename Config::Left::Cursor(work.left, args_.left.ld);
    right_ = typename Config::Right::Cursor(work.right, args_.right.ld);
    steps_ = work.steps;
    next_ = 0;
#pragma unroll
    for (int stage = 0; stage < kMaxStages - 1; ++stage) {
      copy(stage, stage < steps_ && stage < args_.stages - 1);
    }
  }

  // The next stage in shared memory, landed; all warps have read those before it by then.
  __device__ __forceinline__ std::uint32_t next() {
    if (args_.stages == kMaxStages) {
      cp_async_wait<kMaxStages - 2>();
    } else {
      cp_async_wait<kMinStages - 2>();
    }
    __syncthreads();
    const std::uint32_t stage = shared_address(shared_.stages[next_]);
    next_ = next_ + 1 < args_.stages ? next_ + 1 : 0;
    return stage;
  }

  // After next() for stage `step`: copies the one that takes the place of the stage before it.
  __device__ __forceinline__ void refill(std::int32_t step) {
    const int before = next_ < 2 ? next_ + args_.stages - 2 : next_ - 2;
    copy(before, step + args_.stages - 1 < steps_);
  }

 private:
  __device__ __forceinline__ void copy(int slot, bool exists) {
    if (exists) {
      const std::uint32_t stage = shared_address(shared_.stages[slot]);
      left_.load(stage, args_.left.ld);
      right_.load(stage + Config::Left::kBytes, args_.right.ld);
    }
    cp_async_commit();
  }

  const MmaArguments& args_;
  MmaShared<Config>& shared_;
  typename Config::Left::Cursor left_;
  typename Config::Right::Cursor right_;
  std::int32_t steps_ = 0;
  int next_ = 0;
};

}  // namespace assay
