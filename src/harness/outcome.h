// Outcome: what one run of a kernel left behind, before anybody judged the numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/core/index.h"
#include "src/problem/case_spec.h"

namespace assay {

enum class RunStatus : std::uint8_t { kOk, kUnsupported, kError, kCrashed, kHung, kNotRun };

// A byte that changed and should not have.
struct MemoryFault {
  enum class Where : std::uint8_t { kInput, kOffsets, kGuard, kTailRow, kPaddingRow, kGap, kWorkspaceGuard };
  Where where = Where::kGuard;
  std::string operand;  // x, w, y, offsets, sizes, workspace
  Index expert = -1, row = -1, col = -1;  // where known
  Index byte = 0;       // from the operand's first byte; negative below it
};
std::string describe(const MemoryFault& fault);

struct Outcome {
  RunStatus status = RunStatus::kNotRun;
  std::string message;              // the kernel's or the worker's, one line
  double seconds = 0;               // of the last call
  std::vector<std::byte> output;    // dense owned elements, laid out as the problem's output operand
  std::vector<MemoryFault> faults;  // at most one of each kind
  std::vector<std::byte> not_owned; // tail and padding rows of the output, for contracts that zero them
  bool flagged = false;             // the kernel set the status word: invalid offsets seen on the device
};

}  // namespace assay
