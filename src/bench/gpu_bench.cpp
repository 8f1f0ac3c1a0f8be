#include "src/bench/gpu_bench.h"

namespace assay {

#if !defined(ASSAY_CUDA)
Result<std::unique_ptr<GpuBench>> open_gpu_bench(const GpuBenchOptions&) {
  return make_error("this build has no CUDA; configure with the preset cuda, or -DASSAY_CUDA=ON");
}
#endif

}  // namespace assay
