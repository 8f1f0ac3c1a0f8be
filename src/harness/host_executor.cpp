// Calls of a CPU kernel, one or several at once.
#include <barrier>
#include <thread>
#include <vector>

#include "src/harness/executor.h"
#include "src/harness/kernel_call.h"

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
    if (records.size() == 1) return call_kernel(run_, records[0], {}, plan.calls);
    std::vector<ExecuteResult> results(records.size());
    std::barrier start(static_cast<std::ptrdiff_t>(records.size()));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < records.size(); ++i) {
      threads.emplace_back([&, i] {
        if (thread_started_ != nullptr) thread_started_();
        start.arrive_and_wait();
        results[i] = call_kernel(run_, records[i], {}, plan.calls);
      });
    }
    threads.clear();
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
