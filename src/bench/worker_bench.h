// What a worker process costs: the time of a small case beside that of the same case in this
// process.
#pragma once

#include <string>

#include "src/bench/bench_line.h"
#include "src/core/error.h"

namespace assay {

// A small case of the kernel in a worker of its own, less the same case of the kernel cpu in this
// process. Errors: a kernel that does not open, or does not run the case.
Result<std::vector<BenchLine>> bench_worker(const std::string& kernel, const BenchOptions& options);

}  // namespace assay
