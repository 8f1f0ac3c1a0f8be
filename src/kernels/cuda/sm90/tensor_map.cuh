// Tensor maps for TMA: boxes of 64 elements by some rows under the 128-byte swizzle.
#pragma once

#include <cuda.h>

#include "src/kernels/cuda/device_call.h"

namespace assay {

// Encodes maps; remembers whether one was refused. Host work only.
class TensorMapMaker {
 public:
  TensorMapMaker();

  // {col, row, matrix} of a stack; boxes clip at its rows and columns, never reach the next matrix.
  CUtensorMap stack(const DeviceMatrix& matrix, int box_rows);

  // Rows of any group, clipped at the group's end: {col, 2^30 - length + i, 2^30, end} is row
  // end - length + i. The third stride makes the address wrap around 2^64; out of bounds from
  // i = length on. Source: Triton, tools/ragged_tma.py.
  CUtensorMap ragged(const DeviceMatrix& matrix, int box_rows);

  // Null, or why a map could not be made.
  const char* error() const { return error_; }

 private:
  CUtensorMap encode(const DeviceMatrix& matrix, unsigned rank, const cuuint64_t* dims,
                     const cuuint64_t* strides, const cuuint32_t* box);

  const char* error_ = nullptr;
};

}  // namespace assay
