#include <algorithm>

#include "src/harness/device/cuda/row_sums.cuh"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 32;
constexpr int kWarps = kThreads / kLanes;
constexpr unsigned kAllLanes = ~0U;
constexpr std::int64_t kMostBlocks = 4096;
// Elements that a thread loads at once.
constexpr int kRun = 8;
// Along rows, a block adds up this many columns of so many rows, the vector in registers.
constexpr int kRuns = 2;
constexpr std::int64_t kStripCols = std::int64_t{kThreads} * kRun * kRuns;
constexpr int kStripRows = 64;
static_assert(kStripCols <= 1 << 12, "the terms that LimbSums holds");
// Along columns, each thread adds up a run of rows, the vector in shared memory.
constexpr std::int64_t kSlabRows = std::int64_t{kThreads} * kRun;
constexpr int kSlabCols = 128;

__host__ __device__ constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

__device__ int run_length(std::int64_t left) {
  return left <= 0 ? 0 : left < kRun ? static_cast<int>(left) : kRun;
}

template <class Bits>
__device__ std::uint32_t load_element(const std::byte* at) {
  if (reinterpret_cast<std::uintptr_t>(at) % sizeof(Bits) == 0) {
    return *reinterpret_cast<const Bits*>(at);
  }
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < sizeof(Bits); ++i) {
    bits |= static_cast<std::uint32_t>(at[i]) << (8 * i);
  }
  return bits;
}

// The first `count` of a run; the others become zero.
template <class Bits>
__device__ void load_run(const std::byte* at, int count, std::uint32_t (&bits)[kRun]) {
  constexpr int kWords = kRun * sizeof(Bits) / sizeof(std::uint32_t);
  constexpr int kEach = kRun / kWords;
  constexpr std::uintptr_t kAlignment = kWords == 2 ? sizeof(uint2) : sizeof(uint4);
  if (count == kRun && reinterpret_cast<std::uintptr_t>(at) % kAlignment == 0) {
    std::uint32_t words[kWords];
    if constexpr (kWords == 2) {
      const uint2 pair = __ldg(reinterpret_cast<const uint2*>(at));
      words[0] = pair.x;
      words[1] = pair.y;
    } else {
#pragma unroll
      for (int w = 0; w < kWords; w += 4) {
        const uint4 four = __ldg(reinterpret_cast<const uint4*>(at) + w / 4);
        words[w] = four.x;
        words[w + 1] = four.y;
        words[w + 2] = four.z;
        words[w + 3] = four.w;
      }
    }
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      bits[i] = static_cast<Bits>(words[i / kEach] >> (8 * sizeof(Bits) * (i % kEach)));
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kRun; ++i) {
    bits[i] = i < count ? load_element<Bits>(at + i * sizeof(Bits)) : 0;
  }
}

__device__ void add_to_row(RowSum& row, std::uint64_t residue, bool bad, unsigned largest) {
  atomicAdd(&row.low, static_cast<unsigned long long>(low_half(residue)));
  atomicAdd(&row.high, static_cast<unsigned long long>(high_half(residue)));
  if (bad) { atomicOr(&row.bad, 1U); }
  if (largest != 0) { atomicMax(&row.largest, largest); }
}

// What a warp found in its part of a row.
struct Part {
  std::uint64_t residue;
  unsigned bad, largest;
};

template <class Bits>
__device__ Part add_up_run_of_row(const RowSumsOrder& order, const std::byte* row, std::int64_t col,
                                  const Limbs (&limbs)[kRuns][kRun]) {
  LimbSums sums;
  unsigned bad = 0, largest = 0;
#pragma unroll
  for (int run = 0; run < kRuns; ++run) {
    const std::int64_t first = col + std::int64_t{run} * kThreads * kRun;
    std::uint32_t bits[kRun];
    load_run<Bits>(row + first * static_cast<std::int64_t>(sizeof(Bits)),
                   run_length(order.cols - first), bits);
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      std::int32_t value = 0;
      if (!read_integer(order.reading, bits[i], value)) { bad = 1; }
      largest = max(largest, static_cast<unsigned>(abs(value)));
      sums.add(value, limbs[run][i]);
    }
  }
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
#pragma unroll
    for (int i = 0; i < kLimbs; ++i) {
      sums.sum[i] += __shfl_xor_sync(kAllLanes, sums.sum[i], distance);
    }
  }
  return {sums.residue(), __reduce_or_sync(kAllLanes, bad), __reduce_max_sync(kAllLanes, largest)};
}

template <class Bits>
__global__ void __launch_bounds__(kThreads)
    sum_along_rows(const __grid_constant__ RowSumsOrder order) {
  __shared__ Part parts[kStripRows][kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const std::int64_t strips = ceil_div(order.cols, kStripCols);
  const std::int64_t tiles = ceil_div(order.rows, kStripRows) * strips;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t first_row = tile / strips * kStripRows;
    const int rows = static_cast<int>(min(std::int64_t{kStripRows}, order.rows - first_row));
    const std::int64_t strip = tile % strips * kStripCols;
    const std::int64_t col = strip + std::int64_t{threadIdx.x} * kRun;
    // The thread's part of the vector.
    Limbs limbs[kRuns][kRun];
#pragma unroll
    for (int run = 0; run < kRuns; ++run) {
#pragma unroll
      for (int i = 0; i < kRun; ++i) {
        const std::int64_t at = col + std::int64_t{run} * kThreads * kRun + i;
        limbs[run][i] = limbs_of(at < order.cols ? __ldg(order.vector + at) : 0);
      }
    }
    const bool idle = strip + std::int64_t{warp} * kLanes * kRun >= order.cols;
    for (int row = 0; row < rows; ++row) {
      Part part{};
      if (!idle) {
        const std::byte* const data = order.data + (first_row + row) * order.pitch_bytes;
        part = add_up_run_of_row<Bits>(order, data, col, limbs);
      }
      if (threadIdx.x % kLanes == 0) { parts[row][warp] = part; }
    }
    __syncthreads();
    // The warps' parts of each row.
    if (static_cast<int>(threadIdx.x) < rows) {
      Part total{};
      for (const Part& part : parts[threadIdx.x]) {
        total.residue = add_modulo(total.residue, part.residue);
        total.bad |= part.bad;
        total.largest = max(total.largest, part.largest);
      }
      add_to_row(order.sums[first_row + threadIdx.x], total.residue, total.bad != 0, total.largest);
    }
    __syncthreads();
  }
}

template <class Bits>
__global__ void __launch_bounds__(kThreads)
    sum_along_columns(const __grid_constant__ RowSumsOrder order) {
  __shared__ Limbs limbs[kSlabCols];
  const std::int64_t slabs = ceil_div(order.rows, kSlabRows);
  const std::int64_t tiles = ceil_div(order.cols, kSlabCols) * slabs;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t first_col = tile / slabs * kSlabCols;
    const int cols = static_cast<int>(min(std::int64_t{kSlabCols}, order.cols - first_col));
    const std::int64_t row = tile % slabs * kSlabRows + std::int64_t{threadIdx.x} * kRun;
    const int count = run_length(order.rows - row);
    // The tile's part of the vector.
    if (static_cast<int>(threadIdx.x) < cols) {
      limbs[threadIdx.x] = limbs_of(__ldg(order.vector + first_col + threadIdx.x));
    }
    __syncthreads();
    // One run of each column.
    LimbSums sums[kRun];
    unsigned bad = 0, largest = 0;
    const std::byte* data =
        order.data + first_col * order.pitch_bytes + row * static_cast<std::int64_t>(sizeof(Bits));
#pragma unroll 4
    for (int col = 0; col < (count > 0 ? cols : 0); ++col) {
      std::uint32_t bits[kRun];
      load_run<Bits>(data + col * order.pitch_bytes, count, bits);
#pragma unroll
      for (int i = 0; i < kRun; ++i) {
        std::int32_t value = 0;
        if (!read_integer(order.reading, bits[i], value)) { bad |= 1U << i; }
        largest = max(largest, static_cast<unsigned>(abs(value)));
        sums[i].add(value, limbs[col]);
      }
    }
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      if (i >= count) { break; }
      add_to_row(order.sums[row + i], sums[i].residue(), (bad >> i & 1U) != 0,
                 i == 0 ? largest : 0);
    }
    __syncthreads();
  }
}

template <class Bits>
cudaError_t launch(cudaStream_t stream, const RowSumsOrder& order) {
  const std::int64_t tiles =
      order.by_columns ? ceil_div(order.rows, kSlabRows) * ceil_div(order.cols, kSlabCols)
                       : ceil_div(order.rows, kStripRows) * ceil_div(order.cols, kStripCols);
  const auto blocks = static_cast<unsigned>(std::min(tiles, kMostBlocks));
  if (order.by_columns) {
    sum_along_columns<Bits><<<blocks, kThreads, 0, stream>>>(order);
  } else {
    sum_along_rows<Bits><<<blocks, kThreads, 0, stream>>>(order);
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_row_sums(cudaStream_t stream, const RowSumsOrder& order) {
  switch (order.element_bytes) {
    case 1:
      return launch<std::uint8_t>(stream, order);
    case 2:
      return launch<std::uint16_t>(stream, order);
    case 4:
      return launch<std::uint32_t>(stream, order);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace assay
