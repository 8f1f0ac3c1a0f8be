// CallRecord: an assay_call as plain bytes; its addresses mean the same in the driver and in the
// worker.
#pragma once

#include <cstdint>

#include "src/kernels/abi.h"

namespace assay {

struct TensorRecord {
  std::uint64_t address = 0;
  std::int32_t dims = 0;  // 0: the call has no such tensor
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::int64_t shape[3] = {};
  std::int64_t strides[3] = {};
};

inline constexpr int kTacticBytes = 128;

struct CallRecord {
  std::int32_t pass = 0;
  std::int32_t convention = 0;
  std::int32_t weights = 0;
  std::int32_t accumulate = 0;
  std::int64_t experts = 0, k = 0, n = 0, rows = 0, pad = 1, cap = 0;
  TensorRecord x, w, y, offsets, sizes;
  std::uint64_t x_ptrs = 0, w_ptrs = 0, y_ptrs = 0;
  std::uint64_t workspace = 0, workspace_bytes = 0;
  std::uint64_t status = 0;
  std::int32_t threads = 0;
  char tactic[kTacticBytes] = {};
};

inline constexpr int kMessageBytes = 1024;

// The call with all that it points to. Not copied: it points into itself.
class CallOfRecord {
 public:
  explicit CallOfRecord(const CallRecord& record);
  CallOfRecord(const CallOfRecord&) = delete;
  CallOfRecord& operator=(const CallOfRecord&) = delete;

  const assay_call& call() const { return call_; }
  // What the kernel left in the message buffer, cut at its end even where it forgot the NUL.
  const char* message();

 private:
  CallRecord record_;
  assay_tensor tensors_[5];
  assay_call call_;
  char message_[kMessageBytes] = {};
};

}  // namespace assay
