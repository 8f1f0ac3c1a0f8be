// How accumulators leave a warpgroup: rounded to 16 bits, 64x64 at a time through a swizzled buffer
// and TMA, while the next tile's products run.
#pragma once

#include <cstdint>
#include <type_traits>

#include "src/kernels/cuda/ptx/element.cuh"
#include "src/kernels/cuda/ptx/matrix_store.cuh"
#include "src/kernels/cuda/ptx/tensor_copy.cuh"
#include "src/kernels/cuda/ptx/wgmma.cuh"
#include "src/kernels/cuda/sm90/geometry.cuh"

namespace assay {

inline constexpr int kChunks = 4;  // of 64 columns of accumulators
static_assert(kChunks * 64 == 256, "the widest tile's columns");
inline constexpr int kPackedCount = kAccumulators / 2;  // registers of a thread, pairs of outputs

template <class Element>
__device__ __forceinline__ void pack_accumulators(const float (&accumulators)[kAccumulators],
                                                  std::uint32_t (&packed)[kPackedCount]) {
#pragma unroll
  for (int i = 0; i < kPackedCount; ++i) {
    packed[i] = pack_pair<Element>(accumulators[2 * i], accumulators[2 * i + 1]);
  }
}

// A warpgroup's buffers, used in turn. One thread issues, commits and waits for all stores.
template <int kBuffers>
class StagingBuffers {
 public:
  __device__ StagingBuffers(std::uint8_t* buffers, int group)
      : buffers_(buffers), barrier_(1 + group), leads_(threadIdx.x % kGroupThreads == 0) {}

  __device__ bool leads() const { return leads_; }

  // The buffer for chunk kChunk of a tile; TMA has read what was in it. With as many buffers as
  // chunks one wait a tile will do: the stores of the tile before have had its last products to go.
  template <int kChunk>
  __device__ __forceinline__ std::uint8_t* acquire() {
    constexpr bool kOwnBuffer = kBuffers == kChunks;
    if constexpr (!kOwnBuffer || kChunk == 0) {
      if (leads_) { tma_store_wait_read<kOwnBuffer ? 0 : kBuffers - 1>(); }
      named_barrier_sync(barrier_, kGroupThreads);
    }
    if constexpr (kOwnBuffer) { return buffers_ + kChunk * kBoxBytes; }
    std::uint8_t* buffer = buffers_ + next_ * kBoxBytes;
    next_ = next_ + 1 == kBuffers ? 0 : next_ + 1;
    return buffer;
  }
  // All threads have written the buffer; the leading one may now store it.
  __device__ __forceinline__ void written() {
    fence_proxy_async();
    named_barrier_sync(barrier_, kGroupThreads);
  }
  __device__ __forceinline__ void finish() {
    if (leads_) { tma_store_wait<0>(); }
  }

 private:
  std::uint8_t* buffers_;
  int barrier_;
  bool leads_;
  int next_ = 0;
};

// Sums [64, 64] of chunk kChunk to rows of the buffer.
template <int kChunk>
__device__ __forceinline__ void write_chunk(const std::uint32_t (&packed)[kPackedCount],
                                            std::uint8_t* buffer) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kGroupThreads / 32;
  const int row = warp * 16 + lane % 16;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int unit = 2 * i + lane / 16, first = kChunk * 16 + i * 4;
    stmatrix_x4(buffer + row * kSpanBytes + ((unit ^ (row & 7)) << 4), packed[first],
                packed[first + 1], packed[first + 2], packed[first + 3]);
  }
}

// The same where the accumulators are the output transposed: their columns become the buffer's
// rows.
template <int kChunk>
__device__ __forceinline__ void write_chunk_transposed(const std::uint32_t (&packed)[kPackedCount],
                                                       std::uint8_t* buffer) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kGroupThreads / 32;
  const int unit = 2 * warp + lane / 8 % 2, row_in_block = lane / 16 * 8 + lane % 8;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = i * 16 + row_in_block, first = kChunk * 16 + i * 4;
    stmatrix_x4_trans(buffer + row * kSpanBytes + ((unit ^ (row & 7)) << 4), packed[first],
                      packed[first + 1], packed[first + 2], packed[first + 3]);
  }
}

template <int kChunk>
using Chunk = std::integral_constant<int, kChunk>;

// Stores the chunks from `from` on; store(Chunk<i>) stores one.
template <class Store>
__device__ __forceinline__ void store_chunks_from(int from, Store store) {
  if (from <= 0) { store(Chunk<0>{}); }
  if (from <= 1) { store(Chunk<1>{}); }
  if (from <= 2) { store(Chunk<2>{}); }
  if (from <= 3) { store(Chunk<3>{}); }
}

// Stores the chunk whose turn comes in step `step` of the next tile.
template <class Store>
__device__ __forceinline__ void store_chunk_of_step(int step, bool& waiting, Store store) {
  if (!waiting) { return; }
  if (step == 0) {
    store(Chunk<0>{});
  } else if (step == 1) {
    store(Chunk<1>{});
  } else if (step == 2) {
    store(Chunk<2>{});
  } else {
    store(Chunk<3>{});
    waiting = false;
  }
}

}  // namespace assay
