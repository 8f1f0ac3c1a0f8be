// Speed of a built-in CPU kernel against a loop of OpenBLAS sgemm over fp32 copies of the operands.
#pragma once

#include <string>

#include "src/bench/bench_line.h"
#include "src/core/error.h"

namespace assay {

// Errors: a kernel that does not open, or does not run the balanced case.
Result<std::vector<BenchLine>> bench_cpu(const std::string& kernel, const BenchOptions& options);

}  // namespace assay
