// The weight gradients of experts without rows: +0, written by two warps that have nothing else to
// do, while the others multiply.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/ptx/tensor_copy.cuh"
#include "src/kernels/cuda/sm90/arguments.cuh"
#include "src/kernels/cuda/sm90/geometry.cuh"

namespace assay {

inline constexpr int kZeroBytes = 1024;  // of one store by the copy engine, or of two warps' stores

// An expert's gradient as pieces of up to kZeroBytes, a row's pieces side by side.
struct ZeroPieces {
  std::uint8_t* base;
  Index row_bytes, row_apart, pieces_a_row, count;

  __device__ std::uint8_t* at(Index piece) const {
    return base + piece / pieces_a_row * row_apart + piece % pieces_a_row * kZeroBytes;
  }
  __device__ std::int32_t bytes(Index piece) const {
    const Index rest = row_bytes - piece % pieces_a_row * kZeroBytes;
    return static_cast<std::int32_t>(rest < kZeroBytes ? rest : kZeroBytes);
  }
};

__device__ inline ZeroPieces zero_pieces(const WideArguments& args, std::int32_t expert) {
  const Index element = args.out_element_bytes;
  Index rows = args.out_rows, row_bytes = args.cols * element;
  if (args.out_ld == args.cols) {  // one piece of memory
    row_bytes *= rows;
    rows = 1;
  }
  const Index pieces = (row_bytes + kZeroBytes - 1) / kZeroBytes;
  auto* base = static_cast<std::uint8_t*>(args.out_data) + expert * args.out_pitch * element;
  return {base, row_bytes, args.out_ld * element, pieces, rows * pieces};
}

__device__ inline void zero_by_copies(const ZeroPieces& pieces, const std::uint8_t* zeros) {
  int open = 0;
  for (Index i = blockIdx.x; i < pieces.count; i += gridDim.x) {
    store_bytes(pieces.at(i), zeros, static_cast<std::uint32_t>(pieces.bytes(i)));
    if (++open % 8 == 0) {
      commit_stores();
      wait_stores_done<4>();
    }
  }
}

__device__ inline void zero_by_stores(const ZeroPieces& pieces, int warp) {
  const std::int32_t at = (warp * 32 + static_cast<std::int32_t>(threadIdx.x % 32)) * 16;
  for (Index i = blockIdx.x; i < pieces.count; i += gridDim.x) {
    if (at < pieces.bytes(i)) {
      __stcs(reinterpret_cast<int4*>(pieces.at(i) + at), make_int4(0, 0, 0, 0));
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
__device__ inline void zero_empty_experts(const WideArguments& args, const GroupTable* groups,
                                          std::uint8_t* zeros, int warp) {
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
      const ZeroPieces pieces = zero_pieces(args, first + __ffs(empty) - 1);
      if (!by_copies) {
        zero_by_stores(pieces, warp);
      } else if (threadIdx.x % 32 == 0) {
        zero_by_copies(pieces, zeros);
      }
    }
  }
  if (by_copies && threadIdx.x % 32 == 0) {
    commit_stores();
    wait_stores_done<0>();
  }
}

}  // namespace assay
