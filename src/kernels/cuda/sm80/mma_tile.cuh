// The shared-memory tiles of mma_kernel: rows of 128 bytes whose 16-byte units are swizzled by the
// row, loaded by cp.async and read by ldmatrix without bank conflicts.
#pragma once

#include <cstdint>

#include "src/core/index.h"
#include "src/kernels/cuda/ptx/matrix_multiply.cuh"

namespace assay {

inline constexpr int kMmaThreads = 256;
inline constexpr int kMmaDepth = 64;  // reduction of a stage
inline constexpr int kMmaCols = 128;  // output columns of a tile
inline constexpr int kMmaRowBytes = 128;
inline constexpr int kUnitElements = 8;  // of 16 bytes

// Part of an operand: `outer` output rows or columns by `depth` of the reduction, from `data` on.
struct MmaSource {
  const std::uint16_t* data;
  Index ld;
  std::int32_t outer, depth;  // that exist
};

// kOuter output rows or columns by kMmaDepth. K-major: a row of shared memory holds the reduction
// of one of them. MN-major: it holds 64 of them at one step of the reduction; the next 64 lie in a
// box of their own.
template <int kOuter, bool kMnMajor>
struct MmaTile {
  static constexpr bool kMn = kMnMajor;
  static constexpr int kBytes = kOuter * kMmaRowBytes;

  __device__ static std::uint8_t* at(std::uint8_t* tile, int row, int unit) {
    return tile + row * kMmaRowBytes + ((unit ^ (row & 7)) << 4);
  }

  __device__ static void load(std::uint8_t* tile, const MmaSource& from, std::int32_t depth_0) {
    constexpr int kUnits = kOuter * kMmaDepth / kUnitElements;
#pragma unroll
    for (int i = 0; i < kUnits / kMmaThreads; ++i) {
      const int index = i * kMmaThreads + static_cast<int>(threadIdx.x);
      const int row = index / 8, unit = index % 8;
      const int outer = kMnMajor ? row / kMmaDepth * 64 + unit * kUnitElements : row;
      const int depth = depth_0 + (kMnMajor ? row % kMmaDepth : unit * kUnitElements);
      const bool exists = outer < from.outer && depth < from.depth;
      const std::uint16_t* data =
          from.data + (kMnMajor ? depth * from.ld + outer : outer * from.ld + depth);
      copy_16_async(at(tile, row, unit), exists ? data : from.data, exists);
    }
  }

  // The left operand's 16 rows from `outer` on, 16 of the reduction from `depth` on.
  __device__ static void read_left(std::uint32_t (&to)[4], std::uint8_t* tile, int outer,
                                   int depth) {
    const int lane = threadIdx.x % 32, matrix = lane / 8;
    if constexpr (kMnMajor) {
      const int column = outer + matrix % 2 * 8;
      const int row = column / 64 * kMmaDepth + depth + matrix / 2 * 8 + lane % 8;
      load_matrices<true>(to, at(tile, row, column % 64 / 8));
    } else {
      load_matrices<false>(to, at(tile, outer + lane % 16, depth / 8 + lane / 16));
    }
  }

  // The right operand's 16 columns from `outer` on: {to[0], to[1]} the first 8, {to[2], to[3]} the
  // next.
  __device__ static void read_right(std::uint32_t (&to)[4], std::uint8_t* tile, int outer,
                                    int depth) {
    const int lane = threadIdx.x % 32, matrix = lane / 8;
    if constexpr (kMnMajor) {
      const int column = outer + matrix / 2 * 8;
      const int row = column / 64 * kMmaDepth + depth + matrix % 2 * 8 + lane % 8;
      load_matrices<true>(to, at(tile, row, column % 64 / 8));
    } else {
      const int row = outer + matrix / 2 * 8 + lane % 8;
      load_matrices<false>(to, at(tile, row, depth / 8 + matrix % 2));
    }
  }
};

}  // namespace assay
