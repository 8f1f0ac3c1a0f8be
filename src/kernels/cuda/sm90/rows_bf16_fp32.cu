#include "src/kernels/cuda/sm90/launch_rows.cuh"

namespace assay {

cudaError_t launch_rows_bf16_fp32(const LaunchPlan& plan, const RowsArguments& args) {
  return launch_rows_out<__nv_bfloat16, float>(plan, args);
}

}  // namespace assay
