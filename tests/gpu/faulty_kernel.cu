// A CUDA plug-in in plain loops; each of its tactics but `right` makes one mistake that only a
// device shows. tests/gpu/faults.py holds the harness to what it must say about each.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "src/contract/assay/abi.h"

namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 32;  // bytes past an operand: not mapped

struct Operand {
  char* data;
  std::int64_t expert_stride, row_stride;
  bool fp32;
};

struct Arguments {
  Operand x, w, y;
  const std::int32_t* ends;
  std::int64_t experts, k, n, rows;
  int pass;
  bool enk;
  bool reads_past, hangs;
  std::int64_t write_at;  // bytes from y; 0: no such write
  unsigned* claims;       // of elements; null: each thread takes its own
};

__device__ float load(const Operand& from, std::int64_t element) {
  if (from.fp32) { return reinterpret_cast<const float*>(from.data)[element]; }
  return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(from.data)[element]);
}

__device__ void store(const Operand& to, std::int64_t element, float value) {
  if (to.fp32) {
    reinterpret_cast<float*>(to.data)[element] = value;
  } else {
    reinterpret_cast<__nv_bfloat16*>(to.data)[element] = __float2bfloat16_rn(value);
  }
}

// Whatever the offsets hold: never past the rows.
__device__ std::int64_t end_of(const Arguments& a, std::int64_t expert) {
  std::int64_t end = 0;
  for (std::int64_t g = 0; g <= expert; ++g) {
    const std::int64_t given = a.ends[g];
    end = given > end ? given : end;
  }
  return end < a.rows ? end : a.rows;
}

__device__ float weight(const Arguments& a, std::int64_t g, std::int64_t k, std::int64_t n) {
  const std::int64_t row = a.enk ? n : k, col = a.enk ? k : n;
  return load(a.w, g * a.w.expert_stride + row * a.w.row_stride + col);
}

__device__ void row_element(const Arguments& a, std::int64_t row, std::int64_t col) {
  std::int64_t g = 0;
  while (g < a.experts && row >= end_of(a, g)) { ++g; }
  if (g == a.experts) { return; }
  float sum = 0;
  if (a.pass == ASSAY_FWD) {
    for (std::int64_t k = 0; k < a.k; ++k) {
      sum = fmaf(load(a.x, row * a.x.row_stride + k), weight(a, g, k, col), sum);
    }
    store(a.y, row * a.y.row_stride + col, sum);
  } else {
    for (std::int64_t n = 0; n < a.n; ++n) {
      sum = fmaf(load(a.y, row * a.y.row_stride + n), weight(a, g, col, n), sum);
    }
    store(a.x, row * a.x.row_stride + col, sum);
  }
}

__device__ void gradient_element(const Arguments& a, std::int64_t g, std::int64_t k,
                                 std::int64_t n) {
  float sum = 0;
  for (std::int64_t row = g == 0 ? 0 : end_of(a, g - 1); row < end_of(a, g); ++row) {
    sum = fmaf(load(a.x, row * a.x.row_stride + k), load(a.y, row * a.y.row_stride + n), sum);
  }
  const std::int64_t row = a.enk ? n : k, col = a.enk ? k : n;
  store(a.w, g * a.w.expert_stride + row * a.w.row_stride + col, sum);
}

__global__ void multiply(const Arguments a) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const bool gradient = a.pass == ASSAY_WGRAD;
  const std::int64_t cols = a.pass == ASSAY_FWD ? a.n : a.k;
  const std::int64_t elements = gradient ? a.experts * a.k * a.n : a.rows * cols;
  for (std::int64_t at = first; at < elements; at += step) {
    std::int64_t i = at;
    if (a.claims != nullptr) { i = atomicAdd(a.claims, 1U); }
    if (i >= elements) { continue; }
    if (gradient) {
      gradient_element(a, i / (a.k * a.n), i / a.n % a.k, i % a.n);
    } else {
      row_element(a, i / cols, i % cols);
    }
  }
  if (first != 0) { return; }
  if (a.write_at != 0) { a.y.data[a.write_at] = 1; }
  if (a.reads_past && load(a.x, a.rows * a.x.row_stride) == 12345.0f) { store(a.y, 0, 1); }
  while (a.hangs) { __nanosleep(1000); }
}

// A millisecond after it was launched.
__global__ void write_later(char* far) {
  for (int i = 0; i < 1000; ++i) { __nanosleep(1000); }
  *far = 1;
}

// Fails behind the call, in a stream that nobody knows of.
cudaError_t fail_later(char* far, cudaStream_t given) {
  static cudaStream_t own = nullptr;
  static cudaEvent_t done = nullptr;
  cudaError_t error = cudaSuccess;
  if (own == nullptr) { error = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking); }
  if (error == cudaSuccess && done == nullptr) {
    error = cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  if (error == cudaSuccess) { error = cudaEventRecord(done, given); }
  if (error == cudaSuccess) { error = cudaStreamWaitEvent(own, done); }
  if (error != cudaSuccess) { return error; }
  write_later<<<1, 1, 0, own>>>(far);
  return cudaGetLastError();
}

bool is(const assay_call* call, const char* tactic) {
  return std::strcmp(call->tactic, tactic) == 0;
}

Operand operand(const assay_tensor* tensor) {
  const int axis = tensor->ndim - 2;
  return {static_cast<char*>(tensor->data), axis > 0 ? tensor->strides[0] : 0,
          tensor->strides[axis], tensor->dtype.bits == 32};
}

int answer(const assay_call* call, cudaError_t error) {
  if (error == cudaSuccess) { return ASSAY_OK; }
  std::snprintf(call->message, call->message_bytes, "%s", cudaGetErrorString(error));
  return ASSAY_ERROR;
}

// A counter for each call, zero once: a graph that is launched again finds it spent.
unsigned* spent_on_replay() {
  constexpr int kCounters = 4096;
  static unsigned* counters = nullptr;
  static int next = 0;
  if (counters == nullptr) {
    if (cudaMalloc(&counters, kCounters * sizeof *counters) != cudaSuccess) { return nullptr; }
    (void)cudaMemset(counters, 0, kCounters * sizeof *counters);
  }
  return counters + next++ % kCounters;
}

}  // namespace

extern "C" const char* assay_manifest_v1() {
  return R"json({"name": "faulty", "device": "cuda", "passes": ["fwd", "dgrad", "wgrad"],
    "formats": [{"in": "bf16", "out": "bf16"}, {"in": "bf16", "out": "fp32"}],
    "weights": ["enk", "ekn"], "offsets": ["ends"],
    "tactics": ["right", "default_stream", "waits", "spent_on_replay", "writes_past", "writes_far",
                "reads_past", "hangs", "fails_later"],
    "base_bytes": 4, "invalid_offsets": "memory_safe", "stream_ordered": true,
    "graph_capturable": true, "deterministic": true, "batch_invariant": true,
    "arithmetic": {"kind": "fma", "fused": true, "order": "ascending"}})json";
}

extern "C" int assay_run_v1(const assay_call* call) {
  Arguments a{};
  a.x = operand(call->x);
  a.w = operand(call->w);
  a.y = operand(call->y);
  a.ends = static_cast<const std::int32_t*>(call->offsets->data);
  a.experts = call->experts;
  a.k = call->k;
  a.n = call->n;
  a.rows = call->rows;
  a.pass = call->pass;
  a.enk = call->weights == ASSAY_ENK;
  a.reads_past = is(call, "reads_past");
  a.hangs = is(call, "hangs");
  if (is(call, "writes_past")) {
    a.write_at = a.rows * a.y.row_stride * (a.y.fp32 ? 4 : 2) + 40000;
  }
  if (is(call, "writes_far")) { a.write_at = kFar; }
  if (is(call, "spent_on_replay")) { a.claims = spent_on_replay(); }
  const auto given = static_cast<cudaStream_t>(call->stream);
  multiply<<<64, 128, 0, is(call, "default_stream") ? nullptr : given>>>(a);
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess && is(call, "waits")) { error = cudaStreamSynchronize(given); }
  if (error == cudaSuccess && is(call, "fails_later")) {
    error = fail_later(a.y.data + kFar, given);
  }
  return answer(call, error);
}
