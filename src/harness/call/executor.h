// Executor: makes prepared calls of a kernel in this process, on the CPU or on a device.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "src/contract/assay/abi.h"
#include "src/harness/call/call_plan.h"
#include "src/harness/call/call_record.h"
#include "src/harness/device/device.h"
#include "src/harness/device/multiply_record.h"
#include "src/harness/memory/shared_memory.h"
#include "src/harness/process/holdings.h"

namespace assay {

enum class CallsEnd : std::int32_t {
  kReturned,
  kThrew,
  kHidFaults,   // faults went to a handler of the kernel's own
  kNotRun,      // memory was short, or the plan cannot be carried out
  kDeviceLost,  // the kernel broke the device: this process cannot use it any more
  kNotMapped    // this process could not map the operands' memory: another one may
};

struct ExecuteResult {
  CallsEnd end = CallsEnd::kReturned;
  int status = ASSAY_OK;    // of the first call that was not OK
  double seconds = 0;       // of the last call of the first record; on a device the device's time
  double host_seconds = 0;  // that the last call took to return
  std::uint64_t stray = 0;  // host address of a byte that was written outside all regions
  std::string message{};    // of that call, one line; what was thrown; why it did not run
  std::string leftover{};   // what a call left changed around it, clauses: `left SIGINT blocked`
  bool spoiled = false;     // and it cannot be put back: the next call needs another process
  Holdings holdings{};      // where the plan asks for them
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Regions lie in this file, which the executor does not own.
  virtual void use_memory(int fd) = 0;
  virtual void forget(const RegionPlace& place) = 0;  // the region is gone
  virtual ExecuteResult execute(std::span<const CallRecord> records, const CallPlan& plan) = 0;
  virtual DeviceFacts facts() const = 0;
  // Of the first record of the last execute, whose plan let its operands stay.
  virtual ExecuteResult multiply(const MultiplyRecord&) {
    return {.end = CallsEnd::kNotRun, .message = kNoOperands};
  }
  virtual void release_operands() {}
};

// thread_started is called first by each further thread that calls the kernel.
std::unique_ptr<Executor> make_host_executor(assay_run_function run, void (*thread_started)());
std::unique_ptr<Executor> make_device_executor(assay_run_function run,
                                               std::unique_ptr<Device> device,
                                               void (*thread_started)());
// The one for the manifest's device; where a device is wanted and cannot be had, its facts say why.
std::unique_ptr<Executor> make_executor(bool on_device, assay_run_function run,
                                        void (*thread_started)());

}  // namespace assay
