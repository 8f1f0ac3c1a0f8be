// The built-in kernels: one row each. A new kernel needs its row here and nothing else.
#include "src/kernels/baselines/baselines.h"
#include "src/kernels/loader.h"

namespace assay {
namespace {

constexpr BuiltinKernel kKernels[] = {
    {"loop", "one OpenBLAS product an expert", loop_manifest, loop_run},
};

}  // namespace

std::span<const BuiltinKernel> builtin_kernels() { return kKernels; }

}  // namespace assay
