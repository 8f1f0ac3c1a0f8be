// The weight gradient in fp32, which accumulates.
#include "src/kernels/cuda/sm90/launch_wide.cuh"
#include "src/kernels/cuda/sm90/sm90_kernel.h"
#include "tests/defects/cuda/carrier.h"

namespace assay {

cudaError_t launch_wide_bf16(const LaunchPlan& plan, const WideArguments& args) {
  return launch_wide_config<__nv_bfloat16, float, WideProduct::kWeightGradient, 4, 2>(plan, args);
}

extern const Carrier kCarrier{sm90_manifest,
                              sm90_run,
                              ASSAY_WGRAD,
                              true,
                              true,
                              true,
                              R"(["tall", "few"])",
                              R"({"tall": [128, 256, 64], "few": [128, 256, 64]})"};

}  // namespace assay
