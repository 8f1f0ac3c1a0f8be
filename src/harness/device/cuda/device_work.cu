#include "src/harness/device/cuda/device_work.cuh"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksEach = 64;

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void hold(std::uint64_t duration) {
  const std::uint64_t end = nanoseconds() + duration;
  while (nanoseconds() < end) { __nanosleep(1000); }
}

// blockIdx.y is the range.
__global__ void first_differing(const __grid_constant__ WordRanges ranges, std::uint64_t expected,
                                unsigned long long* first) {
  const WordRange range = ranges.range[blockIdx.y];
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
       i < range.count; i += step) {
    if (range.words[i] == expected) { continue; }
    atomicMin(first, reinterpret_cast<unsigned long long>(range.words + i));
    return;
  }
}

}  // namespace

cudaError_t launch_hold(cudaStream_t stream, double seconds) {
  hold<<<1, 1, 0, stream>>>(static_cast<std::uint64_t>(seconds * 1e9));
  return cudaGetLastError();
}

cudaError_t launch_first_differing(cudaStream_t stream, const WordRanges& ranges,
                                   std::uint64_t expected, unsigned long long* first) {
  if (ranges.count == 0) { return cudaSuccess; }
  const dim3 grid(kBlocksEach, static_cast<unsigned>(ranges.count));
  first_differing<<<grid, kThreads, 0, stream>>>(ranges, expected, first);
  return cudaGetLastError();
}

}  // namespace assay
