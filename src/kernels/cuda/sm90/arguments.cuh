// What the host hands to the kernels.
#pragma once

#include <cstdint>

#include <cuda.h>

#include "src/core/index.h"
#include "src/kernels/schedule/offset_array.h"
#include "src/kernels/schedule/tile_queue.h"

namespace assay {

// rows_kernel: out [rows, cols] = in [rows, depth] times an expert's weights.
struct RowsArguments {
  CUtensorMap weights;
  CUtensorMap full_rows;   // in, boxes of a whole tile
  CUtensorMap tall_rows;   // in, boxes of 64 rows
  CUtensorMap short_rows;  // in, boxes of 16 rows
  CUtensorMap out;         // 16-bit output
  OffsetArray offsets;
  Schedule schedule;
  std::int32_t k_blocks;
  std::int32_t cols;
  float* out_fp32;
  Index out_ld;              // elements
  std::int32_t full_height;  // of a box of full_rows
};

// wide_kernel: rows as above, or an expert's out [left cols, right cols] = left^T right.
struct WideArguments {
  CUtensorMap left;
  CUtensorMap right;
  CUtensorMap out;  // 16-bit output
  OffsetArray offsets;
  Schedule schedule;
  std::int32_t k_blocks;  // rows only
  std::int32_t out_rows;  // of an expert, weight gradients only
  std::int32_t cols;
  std::int32_t accumulate;
  void* out_data;   // of expert 0 or row 0
  Index out_ld;     // elements
  Index out_pitch;  // elements from expert to expert, weight gradients only
  std::int32_t out_element_bytes;
  std::int32_t bulk_zeros;  // empty experts' zeros by TMA, else by stores
};

}  // namespace assay
