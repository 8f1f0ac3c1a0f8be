// DeviceMirror: the arena's regions on a device. Each region has a block of its own there, flush
// with unmapped addresses at the end that its operand is flush with; it goes over whole before the
// calls and comes back whole after them, so that the driver inspects what a device kernel left in
// the same way as what a CPU kernel left.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "src/harness/call/call_record.h"
#include "src/harness/device/device.h"
#include "src/harness/device/multiply_record.h"
#include "src/harness/memory/page_range.h"
#include "src/harness/memory/shared_memory.h"

namespace assay {

struct DeviceImage {
  Area area = Area::kX;
  AreaRecord host;
  DeviceBlock block;               // may be larger than the region
  DeviceAddress base = 0;          // of the region's first byte
  std::vector<PageRange> pages{};  // sparse regions: those that went over
};

struct MirroredCall {
  CallRecord record;  // of device addresses
  std::vector<DeviceImage> images{};
  DeviceAddress initial = 0;  // of set_aside's copy
};

class DeviceMirror {
 public:
  explicit DeviceMirror(Device& device) : device_(device) {}
  ~DeviceMirror();
  DeviceMirror(const DeviceMirror&) = delete;
  DeviceMirror& operator=(const DeviceMirror&) = delete;

  void use_memory(int fd) { fd_ = fd; }
  void forget(std::uint64_t region);

  // Memory for every area of the call. Errors: the device has too little.
  Result<MirroredCall> place(const CallRecord& record);
  // Host to device; done when it returns.
  Status upload(MirroredCall& call, int stream);
  // Brings the operands to the device, beside their places; done when it returns.
  Status stage(const MirroredCall& call, int stream);
  // Puts them there once the stream has waited for `seconds`; returns at once. Requires: the last
  // call that was staged.
  Status arrive_late(const MirroredCall& call, int stream, double seconds);
  // Copies what the region of the output holds, in the stream's order.
  Status set_aside(MirroredCall& call, int stream);
  // Where a matrix of the call lies. Errors: it is not all within an operand on the device.
  static Result<oracle::Matrix> locate(const MirroredCall& call, const OperandMatrix& matrix);
  // Device to host; done when it returns.
  Status download(const MirroredCall& call, int stream);
  // The first byte that was written outside the images, as an address of the region's host
  // surroundings; 0: none.
  Result<std::uint64_t> first_stray(std::span<const MirroredCall> calls);
  // Gives back blocks that are too large to be kept.
  void drop_large();

 private:
  struct Kept {
    DeviceBlock block;
    Index region_bytes = 0;
  };

  Result<DeviceBlock> block_for(const AreaRecord& area, bool flush_high);
  Status grow(DeviceBlock& block, Index bytes);
  Status upload_sparse(DeviceImage& image, int stream);
  Status upload_image(const MirroredCall& call, const DeviceImage& image, int stream,
                      DeviceAddress to);
  Status download_image(const MirroredCall& call, const DeviceImage& image, int stream);
  Status download_holes(const DeviceImage& image, int stream);

  Device& device_;
  int fd_ = -1;
  std::map<std::pair<std::uint64_t, bool>, Kept> kept_;
  DeviceBlock staging_;  // of operands that come late
  DeviceBlock aside_;
};

}  // namespace assay
