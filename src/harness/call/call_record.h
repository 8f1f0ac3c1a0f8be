// CallRecord: an assay_call as plain bytes; its addresses mean the same in the driver and in the
// worker.
#pragma once

#include <array>
#include <cstdint>

#include "src/contract/call_builder.h"
#include "src/harness/memory/area.h"

namespace assay {

// Where an area lies: its operand is bytes [begin, begin + extent) of the region.
struct AreaRecord {
  std::uint64_t region = 0;  // address of the region; 0: the call has no such area
  Index region_bytes = 0;
  Index begin = 0;
  Index extent = 0;
  std::int32_t sparse = 0;  // most of the region has no memory
  friend bool operator==(const AreaRecord&, const AreaRecord&) = default;
};

struct CallRecord : CallFacts {
  std::int32_t flush_high = 0;  // operands end at their region's end, else begin at its start
  Area output = Area::kY;       // that the call writes
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
    CallTensors tensors;
    assay_call call;
  };

  Description now_{};
  Description kept_{};
  char message_[kMessageBytes] = {};
};

}  // namespace assay
