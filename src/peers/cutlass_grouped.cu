// CUTLASS's grouped product for Hopper as a plug-in: forward and dX, bf16, through its public
// GemmUniversal over a GroupProblemShape. Sizes, pointers and strides of the groups are made on the
// device, as a layer whose counts never come to the host does.
//   nvcc -shared -Xcompiler -fPIC -std=c++17 -O2 -DNDEBUG -arch=sm_90a --expt-relaxed-constexpr
//     -I CUTLASS/include -I src/contract -o build/cutlass_grouped.so src/peers/cutlass_grouped.cu
#include <cstdio>

#include "assay/abi.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/group_array_problem_shape.hpp"
#include "cutlass/gemm/kernel/gemm_universal.hpp"

namespace {

using Element = cutlass::bfloat16_t;
using Shape = cute::Shape<int, int, int>;  // M, N, K of a group
using Groups = cutlass::gemm::GroupProblemShape<Shape>;
using Rows = cutlass::layout::RowMajor;
using Tile = cute::Shape<cute::_128, cute::_128, cute::_64>;
using Cluster = cute::Shape<cute::_2, cute::_1, cute::_1>;

constexpr int kAligned = 8;  // elements that the TMA moves at least: 16 bytes
constexpr int kMostExperts = 4096;
constexpr uint64_t kWorkspaceBytes = 8 << 20;
constexpr uint64_t kApart = 256;

using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, Rows*, kAligned, Element,
    Rows*, kAligned, cutlass::epilogue::PtrArrayTmaWarpSpecializedPingpong>::CollectiveOp;
constexpr int kEpilogueBytes = static_cast<int>(sizeof(typename Epilogue::SharedStorage));

// B is [N, K] (ColumnMajor) or [K, N] (RowMajor) of each group.
template <typename LayoutB>
struct Product {
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, Rows*, kAligned, Element,
      LayoutB*, kAligned, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<kEpilogueBytes>,
      cutlass::gemm::KernelPtrArrayTmaWarpSpecializedPingpong>::CollectiveOp;
  using Kernel = cutlass::gemm::kernel::GemmUniversal<Groups, Mainloop, Epilogue>;
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;
};

struct Side {
  Element* data;
  int64_t row_stride;
  int64_t expert_stride;  // of the weights; 0 where groups follow each other in rows
};

// What CUTLASS reads of each group, [experts] each.
template <typename Gemm>
struct Arrays {
  Shape* shapes;
  const Element** a;
  const Element** b;
  Element** d;
  typename Gemm::GemmKernel::InternalStrideA* a_strides;
  typename Gemm::GemmKernel::InternalStrideB* b_strides;
  typename Gemm::GemmKernel::InternalStrideD* d_strides;
};

// A stride whose one runtime member is the distance of rows.
template <typename Stride>
__device__ Stride stride_of(int64_t row_stride) {
  Stride stride{};
  if constexpr (cute::is_static<cute::tuple_element_t<0, Stride>>::value) {
    cute::get<1>(stride) = row_stride;
  } else {
    cute::get<0>(stride) = row_stride;
  }
  return stride;
}

template <typename Gemm>
__global__ void fill(Arrays<Gemm> arrays, const int32_t* ends, int experts, int n, int k, Side a,
                     Side b, Side d) {
  const int expert = blockIdx.x * blockDim.x + threadIdx.x;
  if (expert >= experts) { return; }
  const int64_t start = expert == 0 ? 0 : ends[expert - 1];
  arrays.shapes[expert] = {ends[expert] - static_cast<int>(start), n, k};
  arrays.a[expert] = a.data + start * a.row_stride;
  arrays.b[expert] = b.data + expert * b.expert_stride;
  arrays.d[expert] = d.data + start * d.row_stride;
  using Kernel = typename Gemm::GemmKernel;
  arrays.a_strides[expert] = stride_of<typename Kernel::InternalStrideA>(a.row_stride);
  arrays.b_strides[expert] = stride_of<typename Kernel::InternalStrideB>(b.row_stride);
  arrays.d_strides[expert] = stride_of<typename Kernel::InternalStrideD>(d.row_stride);
}

// Hands out pieces of the call's workspace; null once it is used up.
class Pieces {
 public:
  explicit Pieces(const assay_call& call)
      : next_(static_cast<char*>(call.workspace)), left_(call.workspace_bytes) {}

  void* take(uint64_t bytes) {
    const uint64_t whole = (bytes + kApart - 1) / kApart * kApart;
    if (whole > left_) { return nullptr; }
    left_ -= whole;
    void* piece = next_;
    next_ += whole;
    return piece;
  }

  template <typename T>
  T* array(int64_t count) {
    return static_cast<T*>(take(static_cast<uint64_t>(count) * sizeof(T)));
  }

 private:
  char* next_;
  uint64_t left_;
};

int answer(const assay_call* call, int status, const char* why) {
  if (call->message_bytes > 0) {
    std::snprintf(call->message, call->message_bytes, "cutlass_grouped: %s", why);
  }
  return status;
}

int failed(const assay_call* call, cutlass::Status status) {
  return answer(call, ASSAY_ERROR, cutlassGetStatusString(status));
}

Side side_of(const assay_tensor* tensor) {
  const bool of_experts = tensor->ndim == 3;
  return {static_cast<Element*>(tensor->data), tensor->strides[of_experts ? 1 : 0],
          of_experts ? tensor->strides[0] : 0};
}

bool is_whole(int64_t elements) { return elements % kAligned == 0; }

// What the TMA cannot address, which the manifest excludes.
const char* refusal(const assay_call* call) {
  if (!is_whole(call->k) || !is_whole(call->n)) { return "k and n have to be multiples of 8"; }
  for (const assay_tensor* tensor : {call->x, call->w, call->y}) {
    if (reinterpret_cast<uintptr_t>(tensor->data) % (kAligned * sizeof(Element)) != 0) {
      return "operands have to begin on 16 bytes";
    }
    for (int axis = 0; axis + 1 < tensor->ndim; ++axis) {
      if (!is_whole(tensor->strides[axis])) { return "strides have to be multiples of 8"; }
    }
  }
  return nullptr;
}

template <typename LayoutB>
int multiply(const assay_call* call) {
  using Gemm = typename Product<LayoutB>::Gemm;
  using Kernel = typename Gemm::GemmKernel;
  const bool forward = call->pass == ASSAY_FWD;
  const Side a = side_of(forward ? call->x : call->y), d = side_of(forward ? call->y : call->x);
  const int n = static_cast<int>(forward ? call->n : call->k);
  const int k = static_cast<int>(forward ? call->k : call->n);
  const int experts = static_cast<int>(call->experts);
  const auto stream = static_cast<cudaStream_t>(call->stream);

  Pieces pieces(*call);
  const Arrays<Gemm> arrays = {pieces.array<Shape>(experts),
                               pieces.array<const Element*>(experts),
                               pieces.array<const Element*>(experts),
                               pieces.array<Element*>(experts),
                               pieces.array<typename Kernel::InternalStrideA>(experts),
                               pieces.array<typename Kernel::InternalStrideB>(experts),
                               pieces.array<typename Kernel::InternalStrideD>(experts)};
  if (arrays.d_strides == nullptr) {
    return answer(call, ASSAY_ERROR, "the workspace is too small for the groups");
  }
  constexpr int kThreads = 128;
  fill<Gemm><<<(experts + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
      arrays, static_cast<const int32_t*>(call->offsets->data), experts, n, k, a, side_of(call->w),
      d);

  typename Gemm::Arguments arguments{
      cutlass::gemm::GemmUniversalMode::kGrouped,
      {experts, arrays.shapes, nullptr},
      {arrays.a, arrays.a_strides, arrays.b, arrays.b_strides},
      {{}, nullptr, arrays.d_strides, arrays.d, arrays.d_strides},
      cutlass::KernelHardwareInfo::make_kernel_hardware_info<Kernel>(call->x->device.device_id)};
  void* own = pieces.take(Gemm::get_workspace_size(arguments));
  if (own == nullptr) {
    return answer(call, ASSAY_ERROR, "the workspace is too small for CUTLASS");
  }
  Gemm gemm;
  auto status = gemm.can_implement(arguments);
  if (status == cutlass::Status::kSuccess) { status = gemm.initialize(arguments, own, stream); }
  if (status == cutlass::Status::kSuccess) { status = gemm.run(stream); }
  return status == cutlass::Status::kSuccess ? ASSAY_OK : failed(call, status);
}

}  // namespace

extern "C" const char* assay_manifest_v1(void) {
  static char manifest[512];
  std::snprintf(manifest, sizeof(manifest),
                R"({"name": "cutlass_grouped", "device": "cuda", "least_capability": 90,
          "most_capability": 90, "passes": ["fwd", "dgrad"], "weights": ["enk", "ekn"],
          "formats": [{"in": "bf16", "out": "bf16"}], "offsets": ["ends"], "base_bytes": 16,
          "k_multiple": %d, "n_multiple": %d, "ld_multiple": %d, "max_experts": %d,
          "workspace_bytes": %llu, "workspace_alignment": %llu,
          "stream_ordered": true})",
                kAligned, kAligned, kAligned, kMostExperts,
                static_cast<unsigned long long>(kWorkspaceBytes),
                static_cast<unsigned long long>(kApart));
  return manifest;
}

extern "C" const uint64_t assay_call_bytes_v1 = sizeof(assay_call);

extern "C" int assay_run_v1(const assay_call* call) {
  const assay_dtype format = call->x->dtype;
  const bool bf16 = format.code == 4 && format.bits == 16;
  if (call->pass == ASSAY_WGRAD || call->accumulate != 0 || !bf16 ||
      call->convention != ASSAY_OFFSETS_ENDS || call->offsets->dtype.bits != 32 ||
      call->experts > kMostExperts) {
    return answer(call, ASSAY_UNSUPPORTED, "only fwd and dgrad, bf16, 32-bit ends");
  }
  if (const char* why = refusal(call)) { return answer(call, ASSAY_UNSUPPORTED, why); }
  if (call->experts == 0 || call->rows == 0) { return ASSAY_OK; }
  // Forward multiplies by w^T of [n, k], dX by [n, k] itself: B lies by columns in one of the two.
  const bool by_columns = (call->weights == ASSAY_ENK) == (call->pass == ASSAY_FWD);
  return by_columns ? multiply<cutlass::layout::ColumnMajor>(call)
                    : multiply<cutlass::layout::RowMajor>(call);
}
