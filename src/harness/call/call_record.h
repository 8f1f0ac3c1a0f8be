// CallRecord: an assay_call as plain bytes; its addresses mean the same in the driver and in the
// worker.
#pragma once

#include <array>
#include <cstdint>

#include "src/contract/assay/abi.h"
#include "src/core/index.h"
#include "src/harness/memory/area.h"

namespace assay {

struct TensorRecord {
  std::uint64_t address = 0;
  std::int32_t dims = 0;  // 0: the call has no such tensor
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::int64_t shape[3] = {};
  std::int64_t strides[3] = {};
  friend bool operator==(const TensorRecord&, const TensorRecord&) = default;
};

// Where an area lies: its operand is bytes [begin, begin + extent) of the region.
struct AreaRecord {
  std::uint64_t region = 0;  // address of the region; 0: the call has no such area
  Index region_bytes = 0;
  Index begin = 0;
  Index extent = 0;
  std::int32_t sparse = 0;  // most of the region has no memory
  friend bool operator==(const AreaRecord&, const AreaRecord&) = default;
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
  std::int32_t flush_high = 0;       // operands end at their region's end, else begin at its start
  Area output = Area::kY;            // that the call writes
  std::int32_t offsets_on_host = 0;  // also where the operands are on a device
  char tactic[kTacticBytes] = {};
  AreaRecord areas[kAreas];
  friend bool operator==(const CallRecord&, const CallRecord&) = default;
};

// Whether a worker maps the area's region for reading only while it makes the call: what a CPU
// kernel only reads, where operands end at their region's end. A write that is taken back before
// the call returns faults there; in the other placement one that stays is found by its element.
bool is_read_only(const CallRecord& record, Area area);

// The record's addresses, one for each area.
std::array<std::uint64_t*, kAreas> addresses_of(CallRecord& record);

inline constexpr int kMessageBytes = 1024;

// What the operands' place adds to a call; the default is the CPU.
struct CallTarget {
  int device_type = 1;  // DLPack's: 1 CPU, 2 CUDA
  int device_id = 0;
  void* stream = nullptr;
};

// The call with all that it points to. Not copied: it points into itself.
class CallOfRecord {
 public:
  explicit CallOfRecord(const CallRecord& record, const CallTarget& target = {});
  CallOfRecord(const CallOfRecord&) = delete;
  CallOfRecord& operator=(const CallOfRecord&) = delete;

  const assay_call& call() const { return now_.call; }
  // Puts back what a call changed in its own description, which is const. False: nothing.
  bool restore();
  // What the kernel left in the message buffer, cut at its end even where it forgot the NUL.
  const char* message();

 private:
  // In one piece, so that it is compared and put back in one.
  struct Description {
    CallRecord record;
    assay_tensor tensors[5];
    assay_call call;
  };

  Description now_{};
  Description kept_{};
  char message_[kMessageBytes] = {};
};

}  // namespace assay
