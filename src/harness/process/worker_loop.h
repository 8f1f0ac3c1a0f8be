// The worker's side of a session: loads one kernel, maps memory and runs calls until the driver is
// gone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "src/contract/assay/abi.h"
#include "src/core/error.h"

namespace assay {

struct ServedKernel {
  std::string manifest;  // its JSON
  assay_run_function run = nullptr;
  std::shared_ptr<void> library;  // keeps a shared object mapped
  // Of a host that runs code which is not mapped: how many modules it has loaded, and if asked to
  // name them, their lines of loaded_text.
  std::function<std::uint64_t(std::string* lines)> modules;
};
using LoadKernel = std::function<Result<ServedKernel>()>;

// `socket` is the driver's SEQPACKET socket. Leaves this process to be the worker's warden
// (warden.h). Loads the kernel once crashes are reported and a driver that dies is noticed. Returns
// the process's exit status. Requires: one thread in this process.
int serve_kernel(int socket, const LoadKernel& load);

// Exit statuses that the driver explains.
inline constexpr int kWorkerDone = 0;
inline constexpr int kWorkerNoProcess = 95;   // the system gave none for the kernel
inline constexpr int kWorkerRanShort = 96;    // of memory, outside the kernel
inline constexpr int kWorkerLostDriver = 97;  // the socket failed while the driver was there
inline constexpr int kWorkerBadPacket = 98;

}  // namespace assay
