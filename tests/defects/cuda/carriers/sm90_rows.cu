// Forward in short tiles, in the order of the tall tactic.
#include "src/kernels/cuda/sm90/launch_rows.cuh"
#include "src/kernels/cuda/sm90/sm90_kernel.h"
#include "tests/defects/cuda/carrier.h"

namespace assay {

cudaError_t launch_rows_bf16(const LaunchPlan& plan, const RowsArguments& args) {
  return launch_rows_config<RowsConfig<__nv_bfloat16, __nv_bfloat16, false, 64, 8>>(plan, args);
}

extern const Carrier kCarrier{sm90_manifest, sm90_run, ASSAY_FWD,     true,
                              false,         false,    R"(["tall"])", R"({"tall": [64, 128, 64]})"};

}  // namespace assay
