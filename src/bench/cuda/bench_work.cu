#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "src/bench/cuda/bench_work.cuh"
#include "src/problem/rng.h"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 1056;
constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * kThreads; }

template <class T>
__device__ double widened(T value) {
  return static_cast<double>(static_cast<float>(value));
}

template <class T>
__global__ void random_elements(T* elements, std::int64_t count, std::uint64_t state) {
  // Four 16-bit variates have the mean 131070 and the standard deviation 37836.6.
  constexpr float kScale = 1 / 37836.6f;
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    const std::uint64_t word = child_state(state, static_cast<std::uint64_t>(i));
    const int sum = static_cast<int>((word & 0xffff) + (word >> 16 & 0xffff) +
                                     (word >> 32 & 0xffff) + (word >> 48));
    elements[i] = static_cast<T>(static_cast<float>(sum - 131070) * kScale);
  }
}

__global__ void read_memory(const uint4* words, std::int64_t count, unsigned* sink) {
  unsigned found = 0;
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    const uint4 word = words[i];
    found |= word.x | word.y | word.z | word.w;
  }
  if (found != 0) { *sink = found; }
}

__global__ void digest_words(const std::uint32_t* words, std::int64_t count, std::uint32_t infinity,
                             Digest* digest) {
  unsigned long long sum = 0, nans = 0;
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    const std::uint32_t word = words[i];
    sum += child_state(word, static_cast<std::uint64_t>(i));
    nans += ((word & 0x7fff) > infinity) + ((word >> 16 & 0x7fff) > infinity);
  }
  atomicAdd(&digest->sum, sum);
  if (nans != 0) { atomicAdd(&digest->nans, nans); }
}

// One warp an element.
template <class T>
__global__ void sampled_sums(const __grid_constant__ SampleWork work) {
  const std::int64_t sample = first_index() / kWarp;
  if (sample >= work.count) { return; }
  const SampledElement element = work.elements[sample];
  const T* a = static_cast<const T*>(work.a) + element.a_first;
  const T* b = static_cast<const T*>(work.b) + element.b_first;
  const unsigned lane = threadIdx.x % kWarp;
  double sum = 0, gauge = 0;
  for (std::int64_t i = lane; i < element.depth; i += kWarp) {
    const double product = widened(a[i * element.a_step]) * widened(b[i * element.b_step]);
    sum += product;
    gauge += fabs(product);
  }
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
    gauge += __shfl_xor_sync(kAllLanes, gauge, distance);
  }
  if (lane != 0) { return; }
  const std::uint16_t got = static_cast<const std::uint16_t*>(work.out)[element.out];
  work.results[sample] = {sum, gauge, got, 0};
}

}  // namespace

cudaError_t launch_random(cudaStream_t stream, void* elements, std::int64_t count,
                          std::uint64_t state, bool bf16) {
  if (bf16) {
    random_elements<<<kBlocks, kThreads, 0, stream>>>(static_cast<__nv_bfloat16*>(elements), count,
                                                      state);
  } else {
    random_elements<<<kBlocks, kThreads, 0, stream>>>(static_cast<__half*>(elements), count, state);
  }
  return cudaGetLastError();
}

cudaError_t launch_read(cudaStream_t stream, const void* memory, std::int64_t bytes,
                        unsigned* sink) {
  constexpr std::int64_t kWordBytes = sizeof(uint4);
  read_memory<<<kBlocks, kThreads, 0, stream>>>(static_cast<const uint4*>(memory),
                                                bytes / kWordBytes, sink);
  return cudaGetLastError();
}

cudaError_t launch_digest(cudaStream_t stream, const void* memory, std::int64_t bytes, bool bf16,
                          Digest* digest) {
  digest_words<<<kBlocks, kThreads, 0, stream>>>(static_cast<const std::uint32_t*>(memory),
                                                 bytes / 4, bf16 ? 0x7f80u : 0x7c00u, digest);
  return cudaGetLastError();
}

cudaError_t launch_samples(cudaStream_t stream, const SampleWork& work) {
  if (work.count == 0) { return cudaSuccess; }
  constexpr std::int64_t kWarps = kThreads / kWarp;
  const auto blocks = static_cast<unsigned>((work.count + kWarps - 1) / kWarps);
  if (work.bf16) {
    sampled_sums<__nv_bfloat16><<<blocks, kThreads, 0, stream>>>(work);
  } else {
    sampled_sums<__half><<<blocks, kThreads, 0, stream>>>(work);
  }
  return cudaGetLastError();
}

}  // namespace assay
