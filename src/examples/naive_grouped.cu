// A CUDA kernel as a plug-in: fp32, forward, one thread an output, experts found on the device.
//   nvcc -shared -Xcompiler -fPIC -I PREFIX/include -o naive_grouped.so naive_grouped.cu
#include <algorithm>

#include "assay/abi.h"

extern "C" const char* assay_manifest_v1(void) {
  return R"({"name": "naive_grouped", "device": "cuda", "passes": ["fwd"], "weights": ["enk"],
             "formats": [{"in": "fp32", "out": "fp32"}], "offsets": ["ends"],
             "stream_ordered": true, "graph_capturable": true, "deterministic": true,
             "batch_invariant": true, "arithmetic": {"kind": "fma", "order": "ascending"}})";
}

__global__ void multiply(assay_call call, const int32_t* ends, const float* x, const float* w,
                         float* y, int64_t x_row, int64_t w_expert, int64_t w_col, int64_t y_row) {
  const int64_t col = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  for (int64_t row = blockIdx.y; row < call.rows && col < call.n; row += gridDim.y) {
    int64_t expert = 0;
    while (expert < call.experts && row >= ends[expert]) { ++expert; }
    if (expert == call.experts) {
      return;  // tail rows
    }
    float sum = 0;
    for (int64_t k = 0; k < call.k; ++k) {
      sum = fmaf(x[row * x_row + k], w[expert * w_expert + col * w_col + k], sum);
    }
    y[row * y_row + col] = sum;
  }
}

extern "C" int assay_run_v1(const assay_call* call) {
  if (call->pass != ASSAY_FWD || call->convention != ASSAY_OFFSETS_ENDS || call->accumulate ||
      call->weights != ASSAY_ENK || call->x->dtype.bits != 32 || call->y->dtype.bits != 32) {
    return ASSAY_UNSUPPORTED;
  }
  const dim3 grid(static_cast<unsigned>((call->n + 127) / 128),
                  static_cast<unsigned>(std::clamp<int64_t>(call->rows, 1, 65535)));
  multiply<<<grid, 128, 0, static_cast<cudaStream_t>(call->stream)>>>(
      *call, static_cast<const int32_t*>(call->offsets->data),
      static_cast<const float*>(call->x->data), static_cast<const float*>(call->w->data),
      static_cast<float*>(call->y->data), call->x->strides[0], call->w->strides[0],
      call->w->strides[1], call->y->strides[0]);
  return cudaGetLastError() == cudaSuccess ? ASSAY_OK : ASSAY_ERROR;
}
