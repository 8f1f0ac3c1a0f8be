#include <cstddef>
#include <cstdint>

#include "src/kernels/cuda/device_call.h"
#include "src/kernels/cuda/device_lanes.cuh"
#include "src/kernels/cuda/sm80/sm80_kernel.h"
#include "src/kernels/cuda/sm90/sm90_kernel.h"
#include "src/kernels/cuda/zero_tail.h"
#include "src/kernels/schedule/group_table.h"

namespace assay {
namespace {

constexpr int kMinCapability = 80, kMaxCapability = 90;
constexpr int kThreads = 256, kWarps = kThreads / kWarpThreads;
constexpr int kStoredBytes = 16;  // a thread; rows of all formats are multiples of it

struct TailRows {
  std::byte* data;  // of row 0
  Index rows;       // of all experts and the tail
  Index row_bytes, ld_bytes;
};

// A row a warp at a time.
__global__ void __launch_bounds__(kThreads) zero_tail_rows(OffsetArray offsets, TailRows out) {
  const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
  const Index lane = threadIdx.x % kWarpThreads;
  const Index first = Index{blockIdx.x} * kWarps + warp, warps = Index{gridDim.x} * kWarps;
  for (Index row = end_of_experts<DeviceWarp>(offsets) + first; row < out.rows; row += warps) {
    std::byte* const at = out.data + row * out.ld_bytes;
    for (Index byte = lane * kStoredBytes; byte < out.row_bytes;
         byte += kWarpThreads * kStoredBytes) {
      *reinterpret_cast<int4*>(at + byte) = make_int4(0, 0, 0, 0);
    }
  }
}

int zero_tail(const assay_call& call) {
  DeviceCall opened;
  if (const int code = open_device_call(call, opened); code != ASSAY_OK) { return code; }
  const DeviceMatrix& out = opened.out;
  if (opened.is_gradient() || out.rows == 0 || out.cols == 0) { return ASSAY_OK; }
  const CurrentDevice device(opened.device);
  if (const int code = device.require(call, kMinCapability, kMaxCapability); code != ASSAY_OK) {
    return code;
  }
  const TailRows tail{out.data, out.rows, out.cols * out.bytes(), out.ld * out.bytes()};
  zero_tail_rows<<<static_cast<unsigned>(device.multiprocessors()), kThreads, 0,
                   static_cast<cudaStream_t>(call.stream)>>>(opened.offsets, tail);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) { return ASSAY_OK; }
  return make_error(call, ASSAY_ERROR, "launch: %s", cudaGetErrorString(error));
}

int run_and_zero(const assay_call* call, assay_run_function run) {
  if (const int code = run(call); code != ASSAY_OK) { return code; }
  return zero_tail(*call);
}

}  // namespace

int sm80_zero_tail_run(const assay_call* call) { return run_and_zero(call, sm80_run); }
int sm90_zero_tail_run(const assay_call* call) { return run_and_zero(call, sm90_run); }

}  // namespace assay
