// Speed of the oracle: the fast one against one fp64 BLAS product of the same size, products per
// second of the exact one and of the bit-level model, on one core.
#pragma once

#include "src/bench/bench_line.h"

namespace assay {

std::vector<BenchLine> bench_oracle(const BenchOptions& options);

}  // namespace assay
