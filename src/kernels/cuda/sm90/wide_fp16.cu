#include "src/kernels/cuda/sm90/launch_wide.cuh"

namespace assay {

cudaError_t launch_wide_fp16(const LaunchPlan& plan, const WideArguments& args) {
  return launch_wide<__half>(plan, args);
}

}  // namespace assay
