// GpuBench: times kernels on the GPU beside cuBLAS, in this process and through the C ABI alone.
// One stream; every timing starts with an L2 cache that holds none of the operands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/bench/gpu_record.h"
#include "src/core/error.h"

namespace assay {

struct GpuBenchOptions {
  std::vector<std::string> kernels;  // built-in names or paths of shared objects
  bool all_tactics = false;          // besides `default`, every one that a manifest lists
  bool baselines = true;             // else the roof alone
  Format in = Format::kBf16;         // bf16 or fp16; outputs have it too
  WeightsLayout weights = WeightsLayout::kEnk;
  int rounds = 25;       // timings of each contestant
  double seconds = 1.5;  // of timing one product, after which no further round begins
};

class GpuBench {
 public:
  GpuBench() = default;
  virtual ~GpuBench() = default;
  GpuBench(const GpuBench&) = delete;
  GpuBench& operator=(const GpuBench&) = delete;

  // The machine: a record without products.
  virtual GpuRecord machine() const = 0;
  // Times all contestants on one product and checks their answers before and after. A wrong answer,
  // a refusal or a baseline that cannot run is a line of the product.
  // Errors: CUDA's, with the call; out of memory.
  virtual Result<TimedProduct> measure(const BenchCase& shape, Pass pass) = 0;
};

// Errors: a kernel that does not load or is not for CUDA; no usable GPU; no cuBLAS; a build without
// CUDA.
Result<std::unique_ptr<GpuBench>> open_gpu_bench(const GpuBenchOptions& options);

}  // namespace assay
