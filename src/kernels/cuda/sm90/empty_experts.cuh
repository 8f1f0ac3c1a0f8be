// The weight gradients of experts without rows: +0, written by two warps that have nothing else to
// do, while the others multiply.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/ptx/tensor_copy.cuh"
#include "src/kernels/cuda/sm90/arguments.cuh"
#include "src/kernels/cuda/sm90/geometry.cuh"

namespace assay {

// This block's share of an expert's gradient, in pieces of up to kPieceBytes: visit(address,
// bytes). A contiguous gradient is shared out by pieces, one with gaps between its rows by rows.
template <int kPieceBytes, class Visit>
__device__ __forceinline__ void visit_pieces(const WideArguments& args, std::int32_t expert,
                                             Visit visit) {
  const Index element = args.out_element_bytes, block = blockIdx.x, blocks = gridDim.x;
  const bool contiguous = args.out_ld == args.cols;
  const Index rows = contiguous ? 1 : args.out_rows;
  const Index row_bytes = args.cols * element * (contiguous ? args.out_rows : 1);
  const Index step = (contiguous ? blocks : 1) * kPieceBytes;
  const Index first = (contiguous ? block : 0) * kPieceBytes;
  auto* base = static_cast<std::uint8_t*>(args.out_data) + expert * args.out_pitch * element;
  for (Index row = contiguous ? 0 : block; row < rows; row += blocks) {
    std::uint8_t* at = base + row * args.out_ld * element + first;
    for (Index rest = row_bytes - first; rest > 0; rest -= step, at += step) {
      visit(at, static_cast<std::int32_t>(rest < kPieceBytes ? rest : kPieceBytes));
    }
  }
}

template <int kZeroBytes>
__device__ __forceinline__ void zero_by_copies(const WideArguments& args, std::int32_t expert,
                                               const std::uint8_t* zeros) {
  constexpr int kCopies = 8192 / kZeroBytes;  // a group; five of them under way at most
  int open = 0;
  visit_pieces<kZeroBytes>(args, expert, [&](std::uint8_t* at, std::int32_t bytes) {
    bulk_store(at, zeros, static_cast<std::uint32_t>(bytes));
    if (++open % kCopies == 0) {
      tma_store_commit();
      tma_store_wait_read<4>();
    }
  });
}

__device__ __forceinline__ void zero_by_stores(const WideArguments& args, std::int32_t expert,
                                               int warp) {
  constexpr int kStoredBytes = 4096, kRoundBytes = 1024;  // a round of 64 threads
  const std::int32_t mine = (warp * 32 + static_cast<std::int32_t>(threadIdx.x % 32)) * 16;
  visit_pieces<kStoredBytes>(args, expert, [&](std::uint8_t* at, std::int32_t bytes) {
#pragma unroll
    for (int i = 0; i < kStoredBytes; i += kRoundBytes) {
      if (mine + i < bytes) {
        __stcs(reinterpret_cast<int4*>(at + mine + i), make_int4(0, 0, 0, 0));
      }
    }
  });
}

// `warp` 0 and 1 call it. `zeros`: kZeroBytes of shared memory.
template <int kZeroBytes>
__device__ __forceinline__ void zero_empty_experts(const WideArguments& args,
                                                   const GroupTable* groups, std::uint8_t* zeros,
                                                   int warp) {
  const bool by_copies = args.bulk_zeros != 0;
  if (by_copies) {
    if (warp != 0) { return; }
    for (int i = threadIdx.x % 32; i < kZeroBytes / 16; i += 32) {
      reinterpret_cast<int4*>(zeros)[i] = make_int4(0, 0, 0, 0);
    }
    fence_proxy_async();
    __syncwarp();
  }
  std::int32_t end = 0;
  for (std::int32_t first = 0; first < args.offsets.experts; first += 32) {
    unsigned empty = empty_experts<DeviceWarp>(args.offsets, groups, first, end);
    for (; empty != 0; empty &= empty - 1) {
      const std::int32_t expert = first + __ffs(empty) - 1;
      if (!by_copies) {
        zero_by_stores(args, expert, warp);
      } else if (threadIdx.x % 32 == 0) {
        zero_by_copies<kZeroBytes>(args, expert, zeros);
      }
    }
  }
  if (by_copies && threadIdx.x % 32 == 0) {
    tma_store_commit();
    tma_store_wait<0>();
  }
}

}  // namespace assay
