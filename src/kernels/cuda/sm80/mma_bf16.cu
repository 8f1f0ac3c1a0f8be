#include "src/kernels/cuda/sm80/launch_mma.cuh"

namespace assay {

cudaError_t launch_mma_bf16(const MmaPlan& plan, const MmaArguments& args) {
  return launch_mma<__nv_bfloat16>(plan, args);
}

}  // namespace assay
