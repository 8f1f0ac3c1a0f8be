// Small kernels of the harness's own: a stream that waits, and a look at memory that nobody may
// have written.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace assay {

// The stream does nothing for so long.
cudaError_t launch_hold(cudaStream_t stream, double seconds);

struct WordRange {
  const std::uint64_t* words = nullptr;
  std::int64_t count = 0;
};
inline constexpr int kMostRanges = 64;
struct WordRanges {
  WordRange range[kMostRanges];
  int count = 0;
};

// Lowers *first to the least address of a word in the ranges that differs from `expected`.
// Requires: *first is device memory.
cudaError_t launch_first_differing(cudaStream_t stream, const WordRanges& ranges,
                                   std::uint64_t expected, unsigned long long* first);

}  // namespace assay
