#include "src/harness/call_record.h"

namespace assay {
namespace {

constexpr assay_device kHost = {1, 0};

template <class T>
T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

const assay_tensor* fill_tensor(assay_tensor& tensor, TensorRecord& record,
                                const assay_device& device) {
  if (record.dims == 0) return nullptr;
  tensor = {.data = pointer<void>(record.address),
            .device = device,
            .ndim = record.dims,
            .dtype = {record.code, record.bits, 1},
            .shape = record.shape,
            .strides = record.strides,
            .byte_offset = 0};
  return &tensor;
}

}  // namespace

std::array<std::uint64_t*, kAreas> addresses_of(CallRecord& record) {
  return {&record.x.address,     &record.w.address, &record.y.address, &record.offsets.address,
          &record.sizes.address, &record.x_ptrs,    &record.w_ptrs,    &record.y_ptrs,
          &record.workspace,     &record.status};
}

bool is_read_only(const CallRecord& record, Area area) {
  return record.flush_high != 0 && area != record.output && area != Area::kWorkspace &&
         area != Area::kStatus;
}

CallOfRecord::CallOfRecord(const CallRecord& record, const CallTarget& target)
    : record_(record), call_{} {
  const assay_device device = {target.device_type, target.device_id};
  const assay_device offsets_device = record.offsets_on_host != 0 ? kHost : device;
  call_.struct_size_bytes = sizeof(assay_call);
  call_.pass = record_.pass;
  call_.convention = record_.convention;
  call_.weights = record_.weights;
  call_.accumulate = record_.accumulate;
  call_.experts = record_.experts;
  call_.k = record_.k;
  call_.n = record_.n;
  call_.rows = record_.rows;
  call_.pad = record_.pad;
  call_.cap = record_.cap;
  call_.x = fill_tensor(tensors_[0], record_.x, device);
  call_.w = fill_tensor(tensors_[1], record_.w, device);
  call_.y = fill_tensor(tensors_[2], record_.y, device);
  call_.offsets = fill_tensor(tensors_[3], record_.offsets, offsets_device);
  call_.sizes = fill_tensor(tensors_[4], record_.sizes, offsets_device);
  call_.x_ptrs = pointer<void* const>(record_.x_ptrs);
  call_.w_ptrs = pointer<void* const>(record_.w_ptrs);
  call_.y_ptrs = pointer<void* const>(record_.y_ptrs);
  call_.workspace = pointer<void>(record_.workspace);
  call_.workspace_bytes = record_.workspace_bytes;
  call_.stream = target.stream;
  call_.tactic = record_.tactic;
  call_.threads = record_.threads;
  call_.status = pointer<std::int32_t>(record_.status);
  call_.message = message_;
  call_.message_bytes = kMessageBytes;
}

const char* CallOfRecord::message() {
  message_[kMessageBytes - 1] = '\0';
  return message_;
}

}  // namespace assay
