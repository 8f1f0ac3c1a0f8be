// Small kernels of the GPU bench's own: random operands, an L2 cache without them, digests, and
// sampled elements in fp64.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "src/bench/sampled_element.h"

namespace assay {

// Largest magnitude of a random operand: the sum of four uniform variates, scaled to variance 1.
inline constexpr double kLargestRandom = 3.5;

// Element i is a function of (state, i).
cudaError_t launch_random(cudaStream_t stream, void* elements, std::int64_t count,
                          std::uint64_t state, bool bf16);

// Reads `bytes` from `memory`, zeros: what the L2 cache held before is gone, and since nothing is
// written, no later kernel has to write it back. Requires: bytes a multiple of 16, *sink writable.
cudaError_t launch_read(cudaStream_t stream, const void* memory, std::int64_t bytes,
                        unsigned* sink);

// Of 16-bit elements. The sum depends on every bit and its place, and on no order.
struct Digest {
  unsigned long long sum = 0;
  unsigned long long nans = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
};
// Adds to *digest, device memory. Requires: bytes a multiple of 4.
cudaError_t launch_digest(cudaStream_t stream, const void* memory, std::int64_t bytes, bool bf16,
                          Digest* digest);

// Elements and results lie in device memory; a, b and out have 16-bit elements.
struct SampleWork {
  const SampledElement* elements = nullptr;
  SampledResult* results = nullptr;
  std::int64_t count = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* out = nullptr;
  bool bf16 = true;
};
cudaError_t launch_samples(cudaStream_t stream, const SampleWork& work);

}  // namespace assay
