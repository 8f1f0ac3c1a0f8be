// Session: one kernel ready to run problems, in a worker process (the default) or in this one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/contract/loader.h"
#include "src/contract/manifest.h"
#include "src/core/error.h"
#include "src/harness/call/call_plan.h"
#include "src/harness/call/outcome.h"
#include "src/harness/device/device.h"
#include "src/harness/device/multiply_record.h"
#include "src/harness/process/loaded_code.h"
#include "src/problem/problem.h"

namespace assay {

class Executor;

// Each operand lies flush with a guard page below (kLow) or above (kHigh), its base alignment kept.
enum class Placement : std::uint8_t { kLow, kHigh };

struct RunOptions {
  Placement placement = Placement::kLow;
  int poison = 0;   // 0 or 1: two payloads; an output element that equals its poison in both was
                    // never written
  int repeats = 1;  // calls on the same memory before the outcome is read; when accumulating, acc
                    // calls instead
  int threads = 0;  // assay_call::threads
  int concurrent = 1;  // host threads that each make the call on operands of their own at once;
                       // exec=threads:N of the case asks for as many
  // Of concurrent calls every second one makes this case. Requires: the same acc and exec.
  const Problem* beside = nullptr;
  bool workspace_dirty = true;
  // Dirty allocator: owned output elements and the workspace keep the bytes that earlier runs left
  // there; all else is written as ever.
  bool keep_arena = false;
  bool output_cleared = false;  // owned output elements hold +0 before the call, not a NaN
  bool count_holdings = false;  // Outcome::holdings
  // The rest is for kernels on a device.
  Launch launch = Launch::kDirect;  // exec=graph of the case asks for kGraph
  bool one_caller = false;          // concurrent calls come from one thread, on streams apart
  bool other_device_current = false;
  bool operands_stay = false;  // on the device: for Session::multiply, until release_operands
};

// Why a session could not multiply. Crashed or hung: what the kernel had launched came to that
// after its call had returned; else nothing was multiplied.
struct MultiplyError {
  RunStatus status = RunStatus::kNotRun;
  std::string message{};
};
using DeviceProduct = tl::expected<oracle::IntegerProduct, MultiplyError>;

// One thread at a time may use a session; several sessions may run at once.
class Session {
 public:
  virtual ~Session() = default;
  virtual const Manifest& manifest() const = 0;
  virtual const std::string& kernel_spec() const = 0;
  // Where the kernel runs; no devices for a CPU kernel.
  virtual DeviceFacts device() const { return {}; }
  // From now on the kernel is run and judged as if it declared this.
  virtual void assume(const Manifest& manifest) = 0;
  // For calls from now on; nothing where no call has one.
  virtual void set_deadline(double) {}
  // Never fails: a crash or a missed deadline is in the outcome, and the session is usable again.
  virtual Outcome run(const Problem& problem, const RunOptions& options) = 0;
  // A matrix of the last run times a vector modulo 2^61 - 1, where it lies on the device. Requires:
  // vector has an entry a column. Errors: that run let no operands stay; what the device says.
  virtual DeviceProduct multiply(const OperandMatrix&, const oracle::IntegerForm&,
                                 std::span<const oracle::Residue>) {
    return tl::unexpected(MultiplyError{.message = kNoOperands});
  }
  virtual void release_operands() {}
  // The code that the worker has loaded by now; nothing where no worker lives that could be asked.
  // Errors: the worker cannot name it.
  virtual Result<std::optional<std::vector<LoadedFile>>> loaded_code() { return std::nullopt; }
  // Whether that is more than it was when the worker was asked last.
  virtual bool loaded_more() const { return false; }
  // Gives back what is kept for the next runs, which then find no memory of earlier ones.
  virtual void release_memory() {}
  // The same with the process that the kernel runs in, where it has one of its own: after an
  // exception came out of run or multiply.
  virtual void start_afresh() { release_memory(); }
};

struct SessionOptions {
  double deadline_seconds = 30;  // of one run
  double load_seconds = 60;      // of starting the worker and loading the kernel
  std::string worker_path;       // "": $ASSAY_WORKER, else assay-worker beside this executable, one
                                 // folder up, or in
                                 // ../libexec/assay
};

// Opens one more session of the same kernel, with a deadline for each of its calls.
using OpenSession = std::function<Result<std::unique_ptr<Session>>(double deadline_seconds)>;

// Starts a worker process for the kernel. Errors: as load_kernel, reported by the worker.
Result<std::unique_ptr<Session>> open_worker_session(const std::string& kernel,
                                                     const SessionOptions& options = {});
// Runs in this process, for a debugger, a sanitizer or a fuzzer. A crash takes this process along.
Result<std::unique_ptr<Session>> open_in_process_session(const std::string& kernel);
// The same for a kernel and an executor that are there already.
Result<std::unique_ptr<Session>> open_in_process_session(LoadedKernel kernel,
                                                         std::unique_ptr<Executor> executor);

}  // namespace assay
