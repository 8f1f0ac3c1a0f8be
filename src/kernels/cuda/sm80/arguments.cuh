// What the host hands to mma_kernel.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "src/core/index.h"
#include "src/kernels/schedule/offset_array.h"

namespace assay {

// An operand of 16-bit elements: rows of tokens, or one matrix an expert.
struct MmaOperand {
  const void* data;
  Index ld;     // elements
  Index pitch;  // elements from expert to expert; 0 for tokens
};

// Rows: out [rows, cols] = left [rows, depth] times an expert's right. Gradient: an expert's out
// [out_rows, cols] = left^T right, both [rows, .].
struct MmaArguments {
  MmaOperand left, right;
  OffsetArray offsets;
  void* out;
  Index out_ld, out_pitch;
  std::int32_t depth;     // rows only
  std::int32_t out_rows;  // gradient only
  std::int32_t cols;
  std::int32_t accumulate;
  std::int32_t stages;  // in shared memory, set on launch
};

struct MmaPlan {
  bool tall = true;  // 128 output rows a tile, else 64
  bool fp32_out = false;
  bool gradient = false;
  bool weights_transposed = false;
  int multiprocessors = 1;
  cudaStream_t stream = nullptr;
};

cudaError_t launch_mma_bf16(const MmaPlan& plan, const MmaArguments& args);
cudaError_t launch_mma_fp16(const MmaPlan& plan, const MmaArguments& args);

}  // namespace assay
