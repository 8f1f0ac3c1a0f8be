// The words of `assay bench gpu`, and what it does with them.
#pragma once

#include <string>
#include <vector>

#include "src/bench/gpu_bench.h"
#include "src/cli/command.h"

namespace assay {

struct BenchGpuWords {
  GpuBenchOptions bench;
  std::string cases, against, json, markdown, tactic = "default", in = "bf16", weights = "enk";
  std::vector<std::string> names, rows, passes;
  Index k = 4096, n = 2048;
  bool roof_only = false;
};

void define_bench_gpu(CLI::App& app, BenchGpuWords& words);
int bench_gpu(const CLI::App& app, const BenchGpuWords& words);

}  // namespace assay
