#include "src/kernels/cuda/sm80/launch_mma.cuh"

namespace assay {

cudaError_t launch_mma_fp16(const MmaPlan& plan, const MmaArguments& args) {
  return launch_mma<__half>(plan, args);
}

}  // namespace assay
