#include "src/kernels/cuda/sm90/launch_rows.cuh"

namespace assay {

cudaError_t launch_rows_bf16(const LaunchPlan& plan, const RowsArguments& args) {
  return launch_rows<__nv_bfloat16>(plan, args);
}

}  // namespace assay
