// Ring: slots of shared memory that pass from a filling warp to its readers and back.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/ptx/barrier.cuh"

namespace assay {

template <int kSlots>
struct Ring {
  SharedBarrier full[kSlots];
  SharedBarrier empty[kSlots];

  // One thread of the block; barrier_init_fence and a block-wide barrier have to follow.
  __device__ void init(std::uint32_t readers) {
    for (int i = 0; i < kSlots; ++i) {
      barrier_init(&full[i], 1);
      barrier_init(&empty[i], readers);
    }
  }
};

// Where one warp stands in a ring. It goes on from tile to tile: slots and parities never restart.
template <int kSlots>
struct RingPlace {
  int slot = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ void advance() {
    if (++slot == kSlots) {
      slot = 0;
      parity ^= 1;
    }
  }
};

// Tells the compiler that a warp's threads hold the same value: branches on it keep the warp
// together and operand descriptors in uniform registers.
__device__ __forceinline__ std::int32_t uniform(std::int32_t value) {
  return __shfl_sync(~0u, value, 0);
}
template <int kSlots>
__device__ __forceinline__ RingPlace<kSlots> uniform(const RingPlace<kSlots>& place) {
  return {uniform(place.slot), static_cast<std::uint32_t>(uniform(static_cast<int>(place.parity)))};
}

}  // namespace assay
