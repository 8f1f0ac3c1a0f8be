#include "src/harness/call/call_record.h"

#include <cstring>

namespace assay {
namespace {

constexpr assay_device kHost = {1, 0};

template <class T>
T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

const assay_tensor* fill_tensor(assay_tensor& tensor, TensorRecord& record,
                                const assay_device& device) {
  if (record.dims == 0) { return nullptr; }
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

CallOfRecord::CallOfRecord(const CallRecord& from, const CallTarget& target) {
  now_.record = from;
  CallRecord& record = now_.record;
  assay_tensor* const tensors = now_.tensors;
  assay_call& call = now_.call;
  const assay_device device = {target.device_type, target.device_id};
  const assay_device offsets_device = record.offsets_on_host != 0 ? kHost : device;
  call.struct_size_bytes = sizeof(assay_call);
  call.pass = record.pass;
  call.convention = record.convention;
  call.weights = record.weights;
  call.accumulate = record.accumulate;
  call.experts = record.experts;
  call.k = record.k;
  call.n = record.n;
  call.rows = record.rows;
  call.pad = record.pad;
  call.cap = record.cap;
  call.x = fill_tensor(tensors[0], record.x, device);
  call.w = fill_tensor(tensors[1], record.w, device);
  call.y = fill_tensor(tensors[2], record.y, device);
  call.offsets = fill_tensor(tensors[3], record.offsets, offsets_device);
  call.sizes = fill_tensor(tensors[4], record.sizes, offsets_device);
  call.x_ptrs = pointer<void* const>(record.x_ptrs);
  call.w_ptrs = pointer<void* const>(record.w_ptrs);
  call.y_ptrs = pointer<void* const>(record.y_ptrs);
  call.workspace = pointer<void>(record.workspace);
  call.workspace_bytes = record.workspace_bytes;
  call.stream = target.stream;
  call.tactic = record.tactic;
  call.threads = record.threads;
  call.status = pointer<std::int32_t>(record.status);
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
