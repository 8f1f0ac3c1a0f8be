// The shared-memory tiles of mma_kernel: rows of 128 bytes whose 16-byte units are swizzled by the
// row, loaded by cp.async and read by ldmatrix without bank conflicts.
#pragma once

#include <cstdint>

#include "src/core/index.h"
#include "src/kernels/cuda/ptx/matrix_multiply.cuh"

namespace assay {

inline constexpr int kMmaThreads = 256;
inline constexpr int kMmaBlockK = 64;  // K of a stage: 128 bytes, a row of shared memory
inline constexpr int kMmaRowBytes = 128;
inline constexpr int kUnitElements = 8;  // of 16 bytes

// Part of an operand: `outer` output rows or columns by `depth` of the reduction, from `data` on.
struct MmaSource {
  const std::uint16_t* data;
  std::int32_t outer, depth;  // that exist
};

// kOuter output rows or columns by kMmaBlockK. K-major: a row of shared memory holds the reduction
// of one of them. MN-major: it holds 64 of them at one step of the reduction; the next 64 lie in a
// box of their own.
template <int kOuter, bool kMnMajor>
struct MmaTile {
  static constexpr bool kMn = kMnMajor;
  static constexpr int kBytes = kOuter * kMmaRowBytes;
  static constexpr int kUnitsARow = kMmaRowBytes / 16;
  static constexpr int kRowsAtOnce = kMmaThreads / kUnitsARow;  // that all threads copy together
  static_assert(kMmaBlockK % kRowsAtOnce == 0 && kRowsAtOnce % kUnitsARow == 0);

  // Where a thread's units of the next stage come from.
  class Cursor {
   public:
    __device__ Cursor() {}
    __device__ Cursor(const MmaSource& from, Index ld)
        : data_(from.data + row() * ld + unit() * kUnitElements),
          outer_(from.outer - (kMnMajor ? unit() * kUnitElements : row())),
          depth_(from.depth - (kMnMajor ? row() : unit() * kUnitElements)) {}

    // Copies the thread's part of the stage and moves to the next one.
    __device__ void load(std::uint32_t tile, Index ld) {
      constexpr int kRows = kMnMajor ? kMmaBlockK : kOuter, kBoxes = kMnMajor ? kOuter / 64 : 1;
      const std::uint32_t to = tile + offset(row(), unit());
      const std::uint16_t* from = data_;
#pragma unroll
      for (int i = 0; i < kRows; i += kRowsAtOnce) {
        const bool exists = kMnMajor ? i < depth_ : i < outer_ && depth_ > 0;
#pragma unroll
        for (int box = 0; box < kBoxes; ++box) {
          cp_async_16(to + (box * kRows + i) * kMmaRowBytes, from + box * 64,
                      exists && (!kMnMajor || box * 64 < outer_));
        }
        from += kRowsAtOnce * ld;
      }
      data_ = kMnMajor ? from : data_ + kMmaBlockK;
      depth_ -= kMmaBlockK;
    }

   private:
    __device__ static int row() { return static_cast<int>(threadIdx.x) / kUnitsARow; }
    __device__ static int unit() { return static_cast<int>(threadIdx.x) % kUnitsARow; }

    const std::uint16_t* data_ = nullptr;
    std::int32_t outer_ = 0, depth_ = 0;  // that exist from the thread's first unit on
  };

  // Where a lane's part of a warp's first fragment lies in the tile, in bytes. `outer`: the first
  // of the warp's rows of the left operand, or columns of the right one.
  __device__ static std::uint32_t left_place(int outer) {
    const int lane = threadIdx.x % 32;
    return kMnMajor ? mn_place(outer + lane / 8 % 2 * 8, lane / 16 * 8)
                    : offset(outer + lane % 16, lane / 16);
  }
  __device__ static std::uint32_t right_place(int outer) {
    const int lane = threadIdx.x % 32;
    return kMnMajor ? mn_place(outer + lane / 16 * 8, lane / 8 % 2 * 8)
                    : offset(outer + lane / 16 * 8 + lane % 8, lane / 8 % 2);
  }

  // The fragment of the warp's 16 rows or columns number `outer`, at 16 of the reduction number
  // `step`. Left: as the instruction takes it. Right: {to[0], to[1]} the first 8 columns, {to[2],
  // to[3]} the next.
  __device__ static void read(std::uint32_t (&to)[4], std::uint32_t place, int outer, int step) {
    const int rows = kMnMajor ? step : outer, units = kMnMajor ? outer : step;
    ldmatrix_x4<kMnMajor>(to, (place ^ (units * 2 * 16)) + rows * 16 * kMmaRowBytes);
  }

 private:
  __device__ static std::uint32_t offset(int row, int unit) {
    return row * kMmaRowBytes + ((unit ^ (row & 7)) << 4);
  }
  __device__ static std::uint32_t mn_place(int column, int depth) {
    return offset(column / 64 * kMmaBlockK + depth + static_cast<int>(threadIdx.x) % 8,
                  column % 64 / kUnitElements);
  }
};

}  // namespace assay
