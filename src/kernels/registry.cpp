#include "src/kernels/registry.h"

#include <fmt/format.h>

#include "src/kernels/baselines/baselines.h"
#include "src/kernels/cpu/cpu_kernel.h"
#if defined(ASSAY_CUDA)
#include "src/kernels/cuda/sm80/sm80_kernel.h"
#include "src/kernels/cuda/sm90/sm90_kernel.h"
#include "src/kernels/cuda/zero_tail.h"
#endif

namespace assay {
namespace {

constexpr BuiltinKernel kKernels[] = {
    {"cpu", "persistent tile schedule on threads, one fp32 fma chain an output", cpu_manifest,
     cpu_run},
    {"loop", "one OpenBLAS product an expert", loop_manifest, loop_run},
    {"padded", "capacity-padded batch, every product as large as the largest expert's",
     padded_manifest, padded_run},
#if defined(ASSAY_CUDA)
    {"sm80", "persistent kernels on cp.async and mma.sync: Ampere, Ada, Hopper", sm80_manifest,
     sm80_run},
    {"sm80+zero_tail", "sm80 with the rows past the last expert's zeroed", sm80_zero_tail_manifest,
     sm80_zero_tail_run},
    {"sm90", "persistent kernels on TMA and wgmma: Hopper", sm90_manifest, sm90_run},
    {"sm90+zero_tail", "sm90 with the rows past the last expert's zeroed", sm90_zero_tail_manifest,
     sm90_zero_tail_run},
#endif
};

}  // namespace

std::span<const BuiltinKernel> builtin_kernels() { return kKernels; }

Result<LoadedKernel> load_kernel(const std::string& spec) {
  for (const std::string_view family : {"sm80", "sm90"}) {
    if (spec == fmt::format("{}_zero_tail", family)) {
      return make_error(fmt::format("kernel '{}' is called '{}+zero_tail'", spec, family));
    }
  }
  return load_kernel(spec, kKernels);
}

}  // namespace assay
