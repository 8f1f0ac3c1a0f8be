// The weight gradients of experts without rows: +0, written by two warps that have nothing else to
// do, while the others multiply.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/ptx/tensor_copy.cuh"
#include "src/kernels/cuda/sm90/arguments.cuh"
#include "src/kernels/cuda/sm90/geometry.cuh"

namespace assay {

// An expert's gradient as pieces of up to kPieceBytes: the pieces blockIdx, blockIdx + gridDim, ...
// are this block's. Walks them without divisions.
template <int kPieceBytes>
class ZeroPieces {
 public:
  __device__ ZeroPieces(const WideArguments& args, std::int32_t expert) {
    const Index element = args.out_element_bytes;
    const bool one_piece_of_memory = args.out_ld == args.cols;
    row_bytes_ = args.cols * element * (one_piece_of_memory ? args.out_rows : 1);
    rows_left_ = one_piece_of_memory ? 1 : args.out_rows;
    row_apart_ = args.out_ld * element;
    row_ = static_cast<std::uint8_t*>(args.out_data) + expert * args.out_pitch * element;
    move(blockIdx.x);
  }

  __device__ bool done() const { return rows_left_ <= 0; }
  __device__ std::uint8_t* data() const { return row_ + at_; }
  __device__ std::int32_t bytes() const {
    const Index rest = row_bytes_ - at_;
    return static_cast<std::int32_t>(rest < kPieceBytes ? rest : kPieceBytes);
  }
  __device__ void next() { move(gridDim.x); }

 private:
  __device__ void move(std::int32_t pieces) {
    at_ += Index{pieces} * kPieceBytes;
    while (at_ >= row_bytes_ && rows_left_ > 0) {
      at_ -= (row_bytes_ + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
      row_ += row_apart_;
      --rows_left_;
    }
  }

  std::uint8_t* row_;
  Index row_bytes_, row_apart_, at_ = 0;
  std::int32_t rows_left_;
};

template <int kZeroBytes>
__device__ __forceinline__ void zero_by_copies(ZeroPieces<kZeroBytes> pieces,
                                               const std::uint8_t* zeros) {
  // About 100 KB under way at most.
  constexpr int kCopies = 8192 / kZeroBytes;
  int open = 0;
  for (; !pieces.done(); pieces.next()) {
    store_bytes(pieces.data(), zeros, static_cast<std::uint32_t>(pieces.bytes()));
    if (++open % kCopies == 0) {
      commit_stores();
      wait_stores_read<12>();
    }
  }
}

inline constexpr int kStoredBytes = 4096;  // of 64 threads

__device__ __forceinline__ void zero_by_stores(ZeroPieces<kStoredBytes> pieces, int warp) {
  const std::int32_t at = (warp * 32 + static_cast<std::int32_t>(threadIdx.x % 32)) * 16;
  for (; !pieces.done(); pieces.next()) {
    std::uint8_t* to = pieces.data() + at;
    const std::int32_t rest = pieces.bytes() - at;
#pragma unroll
    for (int i = 0; i < kStoredBytes; i += 1024) {
      if (i < rest) __stcs(reinterpret_cast<int4*>(to + i), make_int4(0, 0, 0, 0));
    }
  }
}

// Bit i: the expert at `first` + i exists and is empty. `end`: the end of the rows before, kept up
// to date where there is no table.
__device__ inline unsigned empty_experts(const OffsetArray& offsets, const GroupTable* groups,
                                         std::int32_t first, std::int32_t& end) {
  const std::int32_t expert = first + static_cast<std::int32_t>(threadIdx.x % 32);
  const bool exists = expert < offsets.experts;
  if (groups != nullptr) return __ballot_sync(~0u, exists && groups->rows_of(expert) == 0);
  const std::int32_t own_end =
      offsets.combine(end, scan_warp(offsets, exists ? offsets.term(offsets.entry(expert)) : 0));
  const std::int32_t before = __shfl_up_sync(~0u, own_end, 1);
  const std::int32_t own_first = threadIdx.x % 32 == 0 ? end : before;
  end = __shfl_sync(~0u, own_end, 31);
  return __ballot_sync(~0u, exists && own_end == own_first);
}

// `warp` 0 and 1 call it. `zeros`: kZeroBytes of shared memory.
template <int kZeroBytes>
__device__ __forceinline__ void zero_empty_experts(const WideArguments& args,
                                                   const GroupTable* groups, std::uint8_t* zeros,
                                                   int warp) {
  const bool by_copies = args.bulk_zeros != 0;
  if (by_copies) {
    if (warp != 0) return;
    for (int i = threadIdx.x % 32; i < kZeroBytes / 16; i += 32) {
      reinterpret_cast<int4*>(zeros)[i] = make_int4(0, 0, 0, 0);
    }
    fence_shared_for_copies();
    __syncwarp();
  }
  std::int32_t end = 0;
  for (std::int32_t first = 0; first < args.offsets.experts; first += 32) {
    unsigned empty = empty_experts(args.offsets, groups, first, end);
    for (; empty != 0; empty &= empty - 1) {
      const std::int32_t expert = first + __ffs(empty) - 1;
      if (!by_copies) {
        zero_by_stores(ZeroPieces<kStoredBytes>(args, expert), warp);
      } else if (threadIdx.x % 32 == 0) {
        zero_by_copies(ZeroPieces<kZeroBytes>(args, expert), zeros);
      }
    }
  }
  if (by_copies && threadIdx.x % 32 == 0) {
    commit_stores();
    wait_stores_done<0>();
  }
}

}  // namespace assay
