#include <cstdarg>
#include <cstdio>
#include <limits>

#include <cuda_runtime.h>

#include "src/kernels/cuda/device_call.h"

namespace assay {
namespace {

constexpr int kCudaDevice = 2;  // DLPack's
constexpr Index kGranule = 8;   // elements
constexpr Index kBaseBytes = 16;
constexpr Index kMaxRows = (Index{1} << 30) - 1;
constexpr Index kMostWidth = Index{1} << 30;
constexpr Index kMostStrideBytes = Index{1} << 33;

bool element_of(const assay_dtype& dtype, DeviceElement& element) {
  if (dtype.lanes != 1) { return false; }
  if (dtype.code == 4 && dtype.bits == 16) {
    element = DeviceElement::kBf16;
  } else if (dtype.code == 2 && dtype.bits == 16) {
    element = DeviceElement::kFp16;
  } else if (dtype.code == 2 && dtype.bits == 32) {
    element = DeviceElement::kFp32;
  } else {
    return false;
  }
  return true;
}

int check_sizes(const assay_call& call) {
  if (call.struct_size_bytes < sizeof(assay_call)) {
    return make_error(call, ASSAY_ERROR,
                      "struct_size_bytes is smaller than this kernel's assay_call");
  }
  if (call.pass < ASSAY_FWD || call.pass > ASSAY_WGRAD) {
    return make_error(call, ASSAY_UNSUPPORTED, "pass is none of fwd, dgrad, wgrad");
  }
  if (call.weights != ASSAY_ENK && call.weights != ASSAY_EKN) {
    return make_error(call, ASSAY_UNSUPPORTED, "weights is neither enk nor ekn");
  }
  if (call.experts < 0 || call.rows < 0) {
    return make_error(call, ASSAY_ERROR, "experts or rows is negative");
  }
  if (call.k < kGranule || call.n < kGranule || call.k % kGranule != 0 || call.n % kGranule != 0 ||
      call.k > kMostWidth || call.n > kMostWidth) {
    return make_error(call, ASSAY_UNSUPPORTED,
                      "k=%lld, n=%lld: takes multiples of 8 from 8 to 2^30",
                      static_cast<long long>(call.k), static_cast<long long>(call.n));
  }
  if (call.rows > kMaxRows || call.experts > kMaxRows) {
    return make_error(call, ASSAY_UNSUPPORTED, "takes fewer than 2^30 rows and experts");
  }
  return ASSAY_OK;
}

// x or y, or the stack of weights, as `name`.
int open_matrix(const assay_call& call, const char* name, const assay_tensor* tensor, Index rows,
                Index cols, Index matrices, DeviceMatrix& matrix) {
  const int axis = matrices >= 0 ? 1 : 0;
  const bool has_shape = tensor != nullptr && tensor->ndim == axis + 2 &&
                         tensor->shape[axis] == rows && tensor->shape[axis + 1] == cols &&
                         (axis == 0 || tensor->shape[0] == matrices);
  if (!has_shape) {
    return make_error(call, ASSAY_ERROR, "%s has not the shape that rows, experts, k, n give",
                      name);
  }
  if (tensor->device.device_type != kCudaDevice) {
    return make_error(call, ASSAY_UNSUPPORTED, "takes operands in CUDA memory; %s is not", name);
  }
  if (!element_of(tensor->dtype, matrix.element)) {
    return make_error(call, ASSAY_UNSUPPORTED, "%s is none of bf16, fp16, fp32", name);
  }
  matrix.data = static_cast<std::byte*>(tensor->data) + tensor->byte_offset;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.ld = rows > 1 ? tensor->strides[axis] : cols;
  matrix.matrices = axis == 0 ? 1 : matrices;
  matrix.pitch = matrix.matrices > 1 ? tensor->strides[0] : rows * matrix.ld;
  if (tensor->strides[axis + 1] != 1 || matrix.ld < cols || matrix.ld % kGranule != 0 ||
      matrix.ld * matrix.bytes() > kMostStrideBytes) {
    return make_error(
        call, ASSAY_UNSUPPORTED,
        "rows of %s are %lld elements apart: takes multiples of 8 from its %lld columns on", name,
        static_cast<long long>(matrix.ld), static_cast<long long>(cols));
  }
  if (matrix.pitch % kGranule != 0 || matrix.pitch < 0) {
    return make_error(call, ASSAY_UNSUPPORTED,
                      "experts of %s are %lld elements apart: takes multiples of 8", name,
                      static_cast<long long>(matrix.pitch));
  }
  if (reinterpret_cast<std::uintptr_t>(matrix.data) % kBaseBytes != 0) {
    return make_error(call, ASSAY_UNSUPPORTED, "the base of %s is not a multiple of 16 bytes",
                      name);
  }
  return ASSAY_OK;
}

int check_formats(const assay_call& call, const DeviceMatrix& a, const DeviceMatrix& b,
                  const DeviceMatrix& out) {
  if (a.element != b.element || a.element == DeviceElement::kFp32) {
    return make_error(call, ASSAY_UNSUPPORTED, "takes two inputs in bf16 or two in fp16");
  }
  if (out.element != a.element && out.element != DeviceElement::kFp32) {
    return make_error(call, ASSAY_UNSUPPORTED,
                      "the output is neither of the inputs' format nor fp32");
  }
  if (call.bias != nullptr) { return make_error(call, ASSAY_UNSUPPORTED, "adds no bias"); }
  if (call.accumulate != 0 && (call.pass != ASSAY_WGRAD || out.element != DeviceElement::kFp32)) {
    return make_error(call, ASSAY_UNSUPPORTED, "accumulates in wgrad into fp32 only");
  }
  return ASSAY_OK;
}

int open_offsets(const assay_call& call, OffsetArray& offsets) {
  const bool indptr = call.convention == ASSAY_OFFSETS_INDPTR;
  const bool counts = call.convention == ASSAY_OFFSETS_COUNTS;
  if (!indptr && !counts && call.convention != ASSAY_OFFSETS_ENDS) {
    return make_error(call, ASSAY_UNSUPPORTED, "takes offsets as ends, indptr or counts");
  }
  const assay_tensor* tensor = call.offsets;
  if (tensor == nullptr || tensor->ndim != 1 ||
      tensor->shape[0] != call.experts + (indptr ? 1 : 0)) {
    return make_error(call, ASSAY_ERROR, "the offsets have not the length of their convention");
  }
  if (tensor->device.device_type != kCudaDevice) {
    return make_error(call, ASSAY_UNSUPPORTED, "takes offsets in CUDA memory");
  }
  const bool wide = tensor->dtype.bits == 64;
  if (tensor->dtype.code != 0 || (!wide && tensor->dtype.bits != 32) ||
      (wide && call.convention == ASSAY_OFFSETS_ENDS) ||
      (tensor->shape[0] > 1 && tensor->strides[0] != 1)) {
    return make_error(call, ASSAY_UNSUPPORTED,
                      "takes offsets in int32, indptr and counts in int64 too, side by side");
  }
  const Index entry_bytes = wide ? 8 : 4;
  const std::byte* data = static_cast<const std::byte*>(tensor->data) + tensor->byte_offset;
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(entry_bytes) != 0) {
    return make_error(call, ASSAY_UNSUPPORTED, "the offsets are not aligned to their elements");
  }
  offsets.data = data + (indptr ? entry_bytes : 0);
  offsets.status = call.status;
  offsets.experts = static_cast<std::int32_t>(call.experts);
  offsets.rows = static_cast<std::int32_t>(call.rows);
  offsets.kind = counts ? OffsetArray::Kind::kCounts : OffsetArray::Kind::kEnds;
  offsets.wide = wide;
  offsets.leading_zero = indptr;
  return ASSAY_OK;
}

int check_devices(const assay_call& call) {
  for (const assay_tensor* tensor : {call.x, call.w, call.y, call.offsets}) {
    if (tensor->device.device_id != call.x->device.device_id) {
      return make_error(call, ASSAY_UNSUPPORTED, "takes operands of one CUDA device");
    }
  }
  return ASSAY_OK;
}

void assign_roles(const DeviceMatrix& x, const DeviceMatrix& w, const DeviceMatrix& y,
                  DeviceCall& opened) {
  const bool enk = opened.call->weights == ASSAY_ENK;
  switch (opened.call->pass) {
    case ASSAY_FWD:
      opened.in = x;
      opened.out = y;
      opened.weights_transposed = !enk;
      break;
    case ASSAY_DGRAD:
      opened.in = y;
      opened.out = x;
      opened.weights_transposed = enk;
      break;
    default:
      opened.left = enk ? y : x;
      opened.right = enk ? x : y;
      opened.out = w;
  }
  opened.weights = w;
}

}  // namespace

int make_error(const assay_call& call, int code, const char* format, ...) {
  if (call.message != nullptr && call.message_bytes > 0) {
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(call.message, call.message_bytes, format, arguments);
    va_end(arguments);
  }
  return code;
}

int open_device_call(const assay_call& call, DeviceCall& opened) {
  if (const int code = check_sizes(call); code != ASSAY_OK) { return code; }
  const bool enk = call.weights == ASSAY_ENK;
  DeviceMatrix x, w, y;
  if (const int code = open_matrix(call, "x", call.x, call.rows, call.k, -1, x)) { return code; }
  if (const int code = open_matrix(call, "y", call.y, call.rows, call.n, -1, y)) { return code; }
  if (const int code = open_matrix(call, "w", call.w, enk ? call.n : call.k, enk ? call.k : call.n,
                                   call.experts, w)) {
    return code;
  }
  opened.call = &call;
  assign_roles(x, w, y, opened);
  const DeviceMatrix& first = opened.is_gradient() ? x : opened.in;
  const DeviceMatrix& second = opened.is_gradient() ? y : w;
  if (const int code = check_formats(call, first, second, opened.out)) { return code; }
  if (const int code = open_offsets(call, opened.offsets)) { return code; }
  if (const int code = check_devices(call)) { return code; }
  opened.device = call.x->device.device_id;
  return ASSAY_OK;
}

int compute_capability(int device) {
  int major = 0, minor = 0;
  cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  }
  if (error == cudaSuccess) { return major * 10 + minor; }
  (void)cudaGetLastError();  // or the caller's next check finds it
  return 0;
}

CurrentDevice::CurrentDevice(int device) : device_(device) {
  if (cudaGetDevice(&before_) != cudaSuccess) { before_ = -1; }
  // Also where it is current: a thread that made no call yet has no context, which the driver's own
  // calls need.
  current_ = cudaSetDevice(device) == cudaSuccess;
}

CurrentDevice::~CurrentDevice() {
  if (before_ >= 0 && before_ != device_) { (void)cudaSetDevice(before_); }
}

int CurrentDevice::require(const assay_call& call, int least_capability,
                           int most_capability) const {
  int driver = 0;
  (void)cudaDriverGetVersion(&driver);
  if (!current_) {
    (void)cudaGetLastError();
    return make_error(
        call, ASSAY_UNSUPPORTED,
        "no usable CUDA device %d: the driver supports CUDA %d.%d, the kernel needs 13.0 and "
        "compute capability %d.%d",
        device_, driver / 1000, driver % 1000 / 10, least_capability / 10, least_capability % 10);
  }
  const int capability = compute_capability(device_);
  if (capability < least_capability || capability > most_capability) {
    return make_error(
        call, ASSAY_UNSUPPORTED,
        "device %d has compute capability %d.%d (driver for CUDA %d.%d): needs %d.%d to %d.%d",
        device_, capability / 10, capability % 10, driver / 1000, driver % 1000 / 10,
        least_capability / 10, least_capability % 10, most_capability / 10, most_capability % 10);
  }
  return ASSAY_OK;
}

int CurrentDevice::multiprocessors() const {
  int count = 0;
  (void)cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device_);
  return count;
}

}  // namespace assay
