// Calls of a CPU kernel, one or several at once.
#include <vector>

#include "src/harness/call/executor.h"
#include "src/harness/call/kernel_call.h"
#include "src/harness/process/together.h"

namespace assay {
namespace {

class HostExecutor : public Executor {
 public:
  HostExecutor(assay_run_function run, void (*thread_started)())
      : run_(run), thread_started_(thread_started) {}

  void use_memory(int) override {}
  void forget(const RegionPlace&) override {}
  DeviceFacts facts() const override { return {}; }
  // One record runs in the caller; more run in a thread each, all started at once.
  ExecuteResult execute(std::span<const CallRecord> records, const CallPlan& plan) override {
    if (records.size() == 1) { return call_kernel(run_, records[0], {}, plan.calls); }
    std::vector<ExecuteResult> results(records.size());
    const Status called = call_together(records.size(), thread_started_, [&](std::size_t i) {
      results[i] = call_kernel(run_, records[i], {}, plan.calls);
    });
    if (!called) { return {.end = CallsEnd::kNotRun, .message = called.error().message}; }
    return result_of(results);
  }

 private:
  assay_run_function run_;
  void (*thread_started_)();
};

}  // namespace

std::unique_ptr<Executor> make_host_executor(assay_run_function run, void (*thread_started)()) {
  return std::make_unique<HostExecutor>(run, thread_started);
}

}  // namespace assay
