// The instantiated Hopper kernels, by element.
#pragma once

#include <cuda_runtime.h>

#include "src/kernels/cuda/sm90/arguments.cuh"

namespace assay {

enum class Sm90Tactic {
  kTall,   // fwd, dgrad: rows in tiles of up to 256; wgrad: three stages, four buffers a group
  kFew,    // fwd, dgrad: rows in tiles of up to 64, eight stages; wgrad: empty experts by stores
  kPlain,  // fwd, dgrad: 128x256 tiles in index order; wgrad: four stages, two buffers a group
};

struct LaunchPlan {
  Sm90Tactic tactic = Sm90Tactic::kTall;
  bool fp32_out = false;
  bool weights_transposed = false;  // rows: weights [depth, cols]
  bool gradient = false;            // wide
  int blocks = 1;
  cudaStream_t stream = nullptr;
};

cudaError_t launch_rows_bf16(const LaunchPlan& plan, const RowsArguments& args);
cudaError_t launch_rows_bf16_fp32(const LaunchPlan& plan, const RowsArguments& args);
cudaError_t launch_rows_fp16(const LaunchPlan& plan, const RowsArguments& args);
cudaError_t launch_rows_fp16_fp32(const LaunchPlan& plan, const RowsArguments& args);
cudaError_t launch_wide_bf16(const LaunchPlan& plan, const WideArguments& args);
cudaError_t launch_wide_fp16(const LaunchPlan& plan, const WideArguments& args);

}  // namespace assay
