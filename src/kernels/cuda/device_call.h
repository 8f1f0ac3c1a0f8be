// DeviceCall: an assay_call checked and typed, as the GPU kernels of this folder use it. Reads no
// device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/contract/assay/abi.h"
#include "src/core/index.h"
#include "src/kernels/schedule/offset_array.h"

namespace assay {

enum class DeviceElement : std::int32_t { kBf16, kFp16, kFp32 };

constexpr Index element_bytes(DeviceElement element) {
  return element == DeviceElement::kFp32 ? 4 : 2;
}

// A matrix in device memory, or a stack of one matrix an expert.
struct DeviceMatrix {
  std::byte* data = nullptr;
  DeviceElement element = DeviceElement::kBf16;
  Index rows = 0, cols = 0, ld = 0;  // elements
  Index matrices = 1, pitch = 0;     // pitch: elements from matrix to matrix

  Index bytes() const { return element_bytes(element); }
};

struct DeviceCall {
  const assay_call* call = nullptr;
  int device = 0;
  // fwd, dgrad: out [rows, cols] = in [rows, depth] w, where w is [cols, depth] or, transposed,
  // [depth, cols]. wgrad: out [left cols, right cols] = left^T right, left and right [rows, .].
  DeviceMatrix in, weights, left, right, out;
  bool weights_transposed = false;
  OffsetArray offsets;

  bool is_gradient() const { return call->pass == ASSAY_WGRAD; }
  Index mean_rows() const { return call->experts > 0 ? call->rows / call->experts : 0; }
};

// Writes one line where the caller wants it and returns `code`.
int make_error(const assay_call& call, int code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Returns ASSAY_OK, or ASSAY_UNSUPPORTED or ASSAY_ERROR with the call's message written. What the
// GPU kernels share: operands on one CUDA device; both inputs bf16 or fp16, the output of their
// format or fp32; k, n and strides in multiples of 8 elements, bases in multiples of 16 bytes;
// offsets ends:i32, indptr or counts.
int open_device_call(const assay_call& call, DeviceCall& opened);

// 90 for 9.0; 0 where there is no such device. Starts the driver, makes no context.
int compute_capability(int device);

// Makes a device current for the life of this object.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

  // Whether the device is there and current, and has the compute capability, as a number like 90
  // for 9.0; otherwise the call is refused with a line that names driver and capability.
  int require(const assay_call& call, int least_capability, int most_capability) const;
  int multiprocessors() const;

 private:
  int device_;
  int before_ = -1;
  bool current_ = false;
};

}  // namespace assay
