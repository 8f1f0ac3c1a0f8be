// The built-in kernels: one row each. A new kernel needs its row here and nothing else.
#include "src/kernels/baselines/baselines.h"
#include "src/kernels/cpu/cpu_kernel.h"
#include "src/kernels/loader.h"

namespace assay {
namespace {

constexpr BuiltinKernel kKernels[] = {
    {"cpu", "persistent tile schedule on threads, one fp32 fma chain an output", cpu_manifest,
     cpu_run},
    {"loop", "one OpenBLAS product an expert", loop_manifest, loop_run},
    {"padded", "capacity-padded batch, every product as large as the largest expert's",
     padded_manifest, padded_run},
};

}  // namespace

std::span<const BuiltinKernel> builtin_kernels() { return kKernels; }

}  // namespace assay
