// Environment and Harness: on what machine, and by which build of Assay, a run was made.
#pragma once

#include <string>

#include "src/core/index.h"
#include "src/harness/device/device.h"

namespace assay {

struct Environment {
  std::string system{};  // PRETTY_NAME of /etc/os-release
  std::string kernel{};  // of the operating system
  std::string cpu{};
  Index cores = 0;
  // Of the device that ran the kernel; empty for a CPU kernel.
  std::string gpu{}, compute_capability{}, driver{}, cuda_runtime{};
};
Environment this_environment(const DeviceFacts& device);

struct Harness {
  std::string version{};   // of Assay
  std::string compiler{};  // that built it
  std::string sha256{};    // of the command
};
Harness this_harness();

std::string utc_now();  // 2026-01-31T12:00:00Z

}  // namespace assay
