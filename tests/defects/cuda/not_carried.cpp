// Stands for the instantiations that a plug-in does not carry; those that it does carry win.
#include "src/kernels/cuda/sm80/arguments.cuh"
#include "src/kernels/cuda/sm90/launch.cuh"

#define ASSAY_NOT_CARRIED(name, plan, arguments)                          \
  __attribute__((weak)) cudaError_t name(const plan&, const arguments&) { \
    return cudaErrorNotSupported;                                         \
  }

namespace assay {

ASSAY_NOT_CARRIED(launch_rows_bf16, LaunchPlan, RowsArguments)
ASSAY_NOT_CARRIED(launch_rows_bf16_fp32, LaunchPlan, RowsArguments)
ASSAY_NOT_CARRIED(launch_rows_fp16, LaunchPlan, RowsArguments)
ASSAY_NOT_CARRIED(launch_rows_fp16_fp32, LaunchPlan, RowsArguments)
ASSAY_NOT_CARRIED(launch_wide_bf16, LaunchPlan, WideArguments)
ASSAY_NOT_CARRIED(launch_wide_fp16, LaunchPlan, WideArguments)
ASSAY_NOT_CARRIED(launch_mma_bf16, MmaPlan, MmaArguments)
ASSAY_NOT_CARRIED(launch_mma_fp16, MmaPlan, MmaArguments)

}  // namespace assay
