#include <cstring>

#include "src/kernels/cuda/device_call.h"
#include "src/kernels/cuda/sm90/launch.cuh"
#include "src/kernels/cuda/sm90/sm90_kernel.h"
#include "src/kernels/cuda/sm90/tensor_map.cuh"
#include "src/kernels/schedule/row_tiles.h"

namespace assay {
namespace {

constexpr int kCapability = 90;
constexpr Index kMaxTiles = (Index{1} << 31) - (Index{1} << 20);
// Up to this many rows an expert on average, weights are read once and only their stream counts.
// Where output columns are contiguous in them, the other tactic streams as well and a little
// faster.
constexpr Index kFewRows = 16;
// From this many on no expert's weights are what takes time, and neighbours in the queue find in
// the L2 cache what they share.
constexpr Index kManyRows = 1024;
constexpr Index kBlockK = 64;

// From shapes alone, never from the offsets.
Sm90Tactic default_tactic(const DeviceCall& opened) {
  const bool few = opened.mean_rows() <= kFewRows && !opened.weights_transposed;
  return few ? Sm90Tactic::kFew : Sm90Tactic::kTall;
}

bool choose_tactic(const DeviceCall& opened, Sm90Tactic& tactic) {
  const char* name = opened.call->tactic;
  if (name == nullptr || std::strcmp(name, "default") == 0) {
    tactic = default_tactic(opened);
  } else if (std::strcmp(name, "tall") == 0) {
    tactic = Sm90Tactic::kTall;
  } else if (std::strcmp(name, "few") == 0) {
    tactic = Sm90Tactic::kFew;
  } else if (std::strcmp(name, "plain") == 0) {
    tactic = Sm90Tactic::kPlain;
  } else {
    return false;
  }
  return true;
}

TileOrder order_of(const DeviceCall& opened, Sm90Tactic tactic) {
  if (tactic == Sm90Tactic::kTall) {
    const bool queue = opened.is_gradient() || opened.mean_rows() >= kManyRows;
    return queue ? TileOrder::kQueue : TileOrder::kTwoEnded;
  }
  return tactic == Sm90Tactic::kFew && opened.is_gradient() ? TileOrder::kQueue
                                                            : TileOrder::kStatic;
}

// Upper bound of the tiles, whatever the offsets hold.
Index max_tiles(const DeviceCall& opened, Index rows_a_tile, Index cols_a_tile) {
  const Index col_tiles = (opened.out.cols + cols_a_tile - 1) / cols_a_tile;
  if (opened.is_gradient()) {
    return opened.call->experts * ((opened.out.rows + rows_a_tile - 1) / rows_a_tile) * col_tiles;
  }
  return (opened.call->rows / rows_a_tile + opened.call->experts) * col_tiles;
}

struct Launch {
  LaunchPlan plan;
  Schedule schedule;
};

// The counter of claimed tiles lies in the workspace and is zeroed in the stream before the kernel.
int ready_schedule(const DeviceCall& opened, Launch& launch) {
  const assay_call& call = *opened.call;
  launch.schedule.order = order_of(opened, launch.plan.tactic);
  if (launch.schedule.order == TileOrder::kStatic) { return ASSAY_OK; }
  constexpr std::size_t kBytes = sizeof(*launch.schedule.claims);
  if (call.workspace == nullptr || call.workspace_bytes < kBytes ||
      reinterpret_cast<std::uintptr_t>(call.workspace) % kBytes != 0) {
    return make_error(call, ASSAY_ERROR,
                      "the workspace is smaller than the manifest's workspace_bytes");
  }
  launch.schedule.claims = static_cast<unsigned long long*>(call.workspace);
  const cudaError_t error = cudaMemsetAsync(call.workspace, 0, kBytes, launch.plan.stream);
  if (error != cudaSuccess) {
    return make_error(call, ASSAY_ERROR, "zeroing the workspace: %s", cudaGetErrorString(error));
  }
  return ASSAY_OK;
}

int finish(const assay_call& call, cudaError_t error) {
  if (error == cudaSuccess) { return ASSAY_OK; }
  return make_error(call, ASSAY_ERROR, "launch: %s", cudaGetErrorString(error));
}

int run_rows(const DeviceCall& opened, const Launch& launch, int rows_a_tile) {
  TensorMapMaker maker;
  RowsArguments args{};
  args.weights = maker.stack(opened.weights, opened.weights_transposed ? 64 : 128);
  args.full_rows = maker.ragged(opened.in, rows_a_tile);
  args.full_height = rows_a_tile;
  args.tall_rows = maker.ragged(opened.in, 64);
  args.short_rows = maker.ragged(opened.in, 16);
  if (launch.plan.fp32_out) {
    args.out_fp32 = reinterpret_cast<float*>(opened.out.data);
  } else {
    args.out = maker.ragged(opened.out, 64);
  }
  if (maker.error() != nullptr) {
    return make_error(*opened.call, ASSAY_ERROR, "%s", maker.error());
  }
  args.offsets = opened.offsets;
  args.schedule = launch.schedule;
  args.k_blocks = static_cast<std::int32_t>((opened.in.cols + kBlockK - 1) / kBlockK);
  args.cols = static_cast<std::int32_t>(opened.out.cols);
  args.out_ld = opened.out.ld;
  const bool bf16 = opened.in.element == DeviceElement::kBf16, fp32 = launch.plan.fp32_out;
  const auto launch_rows = bf16 ? (fp32 ? launch_rows_bf16_fp32 : launch_rows_bf16)
                                : (fp32 ? launch_rows_fp16_fp32 : launch_rows_fp16);
  return finish(*opened.call, launch_rows(launch.plan, args));
}

int run_wide(const DeviceCall& opened, const Launch& launch) {
  TensorMapMaker maker;
  WideArguments args{};
  if (opened.is_gradient()) {
    args.left = maker.ragged(opened.left, 64);
    args.right = maker.ragged(opened.right, 64);
    if (!launch.plan.fp32_out) { args.out = maker.stack(opened.out, 64); }
    args.out_rows = static_cast<std::int32_t>(opened.out.rows);
    args.out_pitch = opened.out.pitch;
    args.accumulate = opened.call->accumulate;
    args.bulk_zeros = launch.plan.tactic == Sm90Tactic::kFew ? 0 : 1;
  } else {
    args.left = maker.ragged(opened.in, 64);
    args.right = maker.stack(opened.weights, opened.weights_transposed ? 64 : 256);
    if (!launch.plan.fp32_out) { args.out = maker.ragged(opened.out, 64); }
    args.k_blocks = static_cast<std::int32_t>((opened.in.cols + kBlockK - 1) / kBlockK);
  }
  if (maker.error() != nullptr) {
    return make_error(*opened.call, ASSAY_ERROR, "%s", maker.error());
  }
  args.offsets = opened.offsets;
  args.schedule = launch.schedule;
  args.cols = static_cast<std::int32_t>(opened.out.cols);
  args.out_data = opened.out.data;
  args.out_ld = opened.out.ld;
  args.out_element_bytes = static_cast<std::int32_t>(opened.out.bytes());
  const DeviceElement element = opened.is_gradient() ? opened.left.element : opened.in.element;
  return finish(*opened.call, element == DeviceElement::kBf16
                                  ? launch_wide_bf16(launch.plan, args)
                                  : launch_wide_fp16(launch.plan, args));
}

}  // namespace

int sm90_run(const assay_call* call) {
  DeviceCall opened;
  if (const int code = open_device_call(*call, opened); code != ASSAY_OK) { return code; }
  Launch launch;
  if (!choose_tactic(opened, launch.plan.tactic)) {
    return make_error(*call, ASSAY_UNSUPPORTED,
                      "tactic '%.32s' is none of default, tall, few, plain", call->tactic);
  }
  const bool wide = opened.is_gradient() || launch.plan.tactic == Sm90Tactic::kPlain;
  const int rows_a_tile = wide ? 128 : launch.plan.tactic == Sm90Tactic::kFew ? 64 : 256;
  const Index tiles = max_tiles(opened, rows_a_tile, wide ? 256 : 128);
  if (tiles > kMaxTiles) {
    return make_error(*call, ASSAY_UNSUPPORTED, "takes fewer than 2^31 tiles of output");
  }
  if (call->experts == 0) { return ASSAY_OK; }
  const CurrentDevice device(opened.device);
  if (const int code = device.require(*call, kCapability, kCapability); code != ASSAY_OK) {
    return code;
  }
  launch.plan.fp32_out = opened.out.element == DeviceElement::kFp32;
  launch.plan.weights_transposed = opened.weights_transposed;
  launch.plan.gradient = opened.is_gradient();
  launch.plan.blocks = device.multiprocessors();
  launch.plan.stream = static_cast<cudaStream_t>(call->stream);
  if (const int code = ready_schedule(opened, launch); code != ASSAY_OK) { return code; }
  return wide ? run_wide(opened, launch) : run_rows(opened, launch, rows_a_tile);
}

}  // namespace assay
