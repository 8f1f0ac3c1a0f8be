#include "src/kernels/cuda/sm90/launch_wide.cuh"

namespace assay {

cudaError_t launch_wide_bf16(const LaunchPlan& plan, const WideArguments& args) {
  return launch_wide<__nv_bfloat16>(plan, args);
}

}  // namespace assay
