#include <cstring>

#include "src/kernels/cuda/device_call.h"
#include "src/kernels/cuda/sm80/arguments.cuh"
#include "src/kernels/cuda/sm80/sm80_kernel.h"

namespace assay {
namespace {

constexpr int kMinCapability = 80, kMaxCapability = 90;
constexpr Index kMaxTiles = (Index{1} << 31) - (Index{1} << 20);
constexpr Index kTallRows = 128, kShortRows = 64, kTileCols = 256;

// From shapes alone, never from the offsets.
bool choose_tactic(const DeviceCall& opened, bool& tall) {
  const char* name = opened.call->tactic;
  if (name == nullptr || std::strcmp(name, "default") == 0) {
    tall = opened.is_gradient() || opened.mean_rows() > kShortRows;
  } else if (std::strcmp(name, "rows128") == 0) {
    tall = true;
  } else if (std::strcmp(name, "rows64") == 0) {
    tall = false;
  } else {
    return false;
  }
  return true;
}

Index max_tiles(const DeviceCall& opened, bool tall) {
  const Index rows_a_tile = tall ? kTallRows : kShortRows;
  const Index col_tiles = (opened.out.cols + kTileCols - 1) / kTileCols;
  if (opened.is_gradient()) {
    return opened.call->experts * ((opened.out.rows + rows_a_tile - 1) / rows_a_tile) * col_tiles;
  }
  return (opened.call->rows / rows_a_tile + opened.call->experts) * col_tiles;
}

MmaArguments arguments_of(const DeviceCall& opened) {
  MmaArguments args{};
  const DeviceMatrix& left = opened.is_gradient() ? opened.left : opened.in;
  const DeviceMatrix& right = opened.is_gradient() ? opened.right : opened.weights;
  args.left = {left.data, left.ld, 0};
  args.right = {right.data, right.ld, opened.is_gradient() ? 0 : right.pitch};
  args.offsets = opened.offsets;
  args.out = opened.out.data;
  args.out_ld = opened.out.ld;
  args.out_pitch = opened.out.pitch;
  args.depth = static_cast<std::int32_t>(left.cols);
  args.out_rows = static_cast<std::int32_t>(opened.is_gradient() ? opened.out.rows : 0);
  args.cols = static_cast<std::int32_t>(opened.out.cols);
  args.accumulate = opened.call->accumulate;
  return args;
}

}  // namespace

int sm80_run(const assay_call* call) {
  DeviceCall opened;
  if (const int code = open_device_call(*call, opened); code != ASSAY_OK) { return code; }
  MmaPlan plan;
  if (!choose_tactic(opened, plan.tall)) {
    return make_error(*call, ASSAY_UNSUPPORTED,
                      "tactic '%.32s' is none of default, rows128, rows64", call->tactic);
  }
  if (max_tiles(opened, plan.tall) > kMaxTiles) {
    return make_error(*call, ASSAY_UNSUPPORTED, "takes fewer than 2^31 tiles of output");
  }
  if (call->experts == 0) { return ASSAY_OK; }
  const CurrentDevice device(opened.device);
  if (const int code = device.require(*call, kMinCapability, kMaxCapability)) { return code; }
  plan.fp32_out = opened.out.element == DeviceElement::kFp32;
  plan.gradient = opened.is_gradient();
  plan.weights_transposed = opened.weights_transposed;
  plan.multiprocessors = device.multiprocessors();
  plan.stream = static_cast<cudaStream_t>(call->stream);
  const MmaArguments args = arguments_of(opened);
  const bool bf16 = (plan.gradient ? opened.left : opened.in).element == DeviceElement::kBf16;
  const cudaError_t error = bf16 ? launch_mma_bf16(plan, args) : launch_mma_fp16(plan, args);
  if (error == cudaSuccess) { return ASSAY_OK; }
  return make_error(*call, ASSAY_ERROR, "launch: %s", cudaGetErrorString(error));
}

}  // namespace assay
