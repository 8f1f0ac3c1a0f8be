// Guarded device memory: blocks with reserved, unmapped addresses on both sides.
#pragma once

#include <map>

#include "src/harness/device/device.h"

namespace assay {

// Of the current device; 0 where it does not say.
Index free_device_bytes();

class VirtualMemory {
 public:
  // Requires: the device is current. Errors: the driver has no virtual-memory calls.
  static Result<VirtualMemory> open(int ordinal);

  Result<DeviceBlock> map(Index bytes);
  void unmap(const DeviceBlock& block);

 private:
  // Of a block: its allocation and the addresses around it.
  struct Mapping {
    unsigned long long handle = 0;
    DeviceAddress window = 0;
    Index window_bytes = 0;
  };

  int ordinal_ = 0;
  Index granularity_ = 0;
  std::map<DeviceAddress, Mapping> mappings_;
};

}  // namespace assay
