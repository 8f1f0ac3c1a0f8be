// Outcome: what one run of a kernel left behind, before anybody judged the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/core/index.h"
#include "src/harness/process/holdings.h"
#include "src/problem/case_spec.h"

namespace assay {

enum class RunStatus : std::uint8_t { kOk, kUnsupported, kError, kCrashed, kHung, kNotRun };

// What a crash shows about the operands.
enum class CrashKind : std::uint8_t {
  kOther,
  kOutOfBounds,  // memory beside the operands was read or written
  kInputWritten  // an input that was read-only in that placement
};

// A byte that changed and should not have.
struct MemoryFault {
  enum class Where : std::uint8_t {
    kInput,
    kOffsets,
    kGuard,
    kTailRow,
    kPaddingRow,
    kGap,
    kWorkspaceGuard
  };
  Where where = Where::kGuard;
  std::string operand;  // x, w, y, offsets, sizes, x_ptrs, w_ptrs, y_ptrs, workspace, status
  // Where known. Real and padding rows count from the expert's first row, tail rows from the
  // operand's; rows and columns of w are those of its storage.
  Index expert = -1, row = -1, col = -1;
  Index byte = 0;           // from the operand's first byte; negative below it
  bool not_zeroed = false;  // a row that the contract zeroes was not
};
// One line, as `row 2 of expert 1 of x was changed (an input, column 5, byte 74)`.
std::string describe(const MemoryFault& fault);

struct Outcome {
  RunStatus status = RunStatus::kNotRun;
  std::string message;  // the kernel's or the worker's, one line; what a crash or a refusal was
  bool killed = false;  // crashed: by SIGKILL, which the system and people send, too
  CrashKind crash = CrashKind::kOther;
  double seconds = 0;             // of the last call; on a device the device's time
  double host_seconds = 0;        // until the last call returned
  std::vector<std::byte> output;  // dense owned elements, laid out as the problem's output operand
  std::vector<MemoryFault> faults;  // at most one of each kind
  std::vector<std::byte>
      not_owned;  // tail and padding rows of the output, for contracts that zero them
  std::int32_t status_word = 0;  // not 0: the kernel says that it has seen invalid offsets
  std::string leftover{};        // what the call left changed around it: `left SIGINT blocked`
  std::optional<Holdings> holdings{};  // after it, in a worker, where RunOptions ask for them
  // `output` of the other calls that ran at the same time, where RunOptions::concurrent is above 1.
  std::vector<std::vector<std::byte>> concurrent_outputs;
};

// Two outputs bit for bit; operator== goes through std::byte one by one.
bool same_bytes(const std::vector<std::byte>& one, const std::vector<std::byte>& other);

}  // namespace assay
