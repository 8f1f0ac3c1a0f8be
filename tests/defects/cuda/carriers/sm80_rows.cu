// Forward on mma.sync with either layout of the weights.
#include "src/kernels/cuda/sm80/launch_mma.cuh"
#include "src/kernels/cuda/sm80/sm80_kernel.h"
#include "tests/defects/cuda/carrier.h"

namespace assay {

cudaError_t launch_mma_bf16(const MmaPlan& plan, const MmaArguments& args) {
  return plan.weights_transposed
             ? launch_mma_config<
                   MmaConfig<__nv_bfloat16, __nv_bfloat16, MmaProduct::kRowsMnMajor, 64>>(plan,
                                                                                          args)
             : launch_mma_config<
                   MmaConfig<__nv_bfloat16, __nv_bfloat16, MmaProduct::kRowsKMajor, 64>>(plan,
                                                                                         args);
}

extern const Carrier kCarrier{
    sm80_manifest, sm80_run, ASSAY_FWD,       true,
    true,          false,    R"(["rows64"])", R"({"rows64": [64, 256, 64]})"};

}  // namespace assay
