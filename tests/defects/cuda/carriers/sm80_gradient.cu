// The weight gradient on mma.sync in fp32, which accumulates.
#include "src/kernels/cuda/sm80/launch_mma.cuh"
#include "src/kernels/cuda/sm80/sm80_kernel.h"
#include "tests/defects/cuda/carrier.h"

namespace assay {

cudaError_t launch_mma_bf16(const MmaPlan& plan, const MmaArguments& args) {
  return launch_mma_config<MmaConfig<__nv_bfloat16, float, MmaProduct::kGradient, 64>>(plan, args);
}

extern const Carrier kCarrier{
    sm80_manifest, sm80_run, ASSAY_WGRAD,     true,
    true,          true,     R"(["rows64"])", R"({"rows64": [64, 256, 64]})"};

}  // namespace assay
