#include "src/harness/call/call_record.h"

#include <cstring>

namespace assay {
std::array<std::uint64_t*, kAreas> addresses_of(CallRecord& record) {
  PerOperand<OperandRecord>& o = record.operands;
  return {&o.x.elements.address,
          &o.w.elements.address,
          &o.y.elements.address,
          &record.offsets.address,
          &record.sizes.address,
          &o.x.pointers,
          &o.w.pointers,
          &o.y.pointers,
          &record.workspace,
          &record.status,
          &o.x.scales.address,
          &o.w.scales.address,
          &o.y.scales.address,
          &o.x.scale_pointers,
          &o.w.scale_pointers,
          &o.y.scale_pointers,
          &o.x.tensor_scale.address,
          &o.w.tensor_scale.address,
          &o.y.tensor_scale.address,
          &record.bias.address};
}

bool is_read_only(const CallRecord& record, Area area) {
  return record.flush_high != 0 && area != record.output && area != Area::kWorkspace &&
         area != Area::kStatus;
}

CallOfRecord::CallOfRecord(const CallRecord& from, const CallTarget& target) {
  now_.record = from;
  assay_call& call = now_.call;
  build_call(now_.record, target, now_.tensors, call);
  call.message = message_;
  call.message_bytes = kMessageBytes;
  std::memcpy(&kept_, &now_, sizeof kept_);  // padding, too
}

bool CallOfRecord::restore() {
  if (std::memcmp(&now_, &kept_, sizeof now_) == 0) { return false; }
  std::memcpy(&now_, &kept_, sizeof now_);
  return true;
}

const char* CallOfRecord::message() {
  message_[kMessageBytes - 1] = '\0';
  return message_;
}

}  // namespace assay
