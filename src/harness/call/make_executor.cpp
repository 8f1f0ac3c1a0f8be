// The executor that a kernel's manifest asks for.
#include <utility>

#include "src/harness/call/executor.h"

namespace assay {
namespace {

// Stands where a device is wanted and none can be had.
class NoExecutor : public Executor {
 public:
  explicit NoExecutor(const std::string& why) { store_text(facts_.problem, why); }
  void use_memory(int) override {}
  void forget(const RegionPlace&) override {}
  DeviceFacts facts() const override { return facts_; }
  ExecuteResult execute(std::span<const CallRecord>, const CallPlan&) override {
    ExecuteResult result{.end = CallsEnd::kNotRun};
    result.message = facts_.problem;
    return result;
  }

 private:
  DeviceFacts facts_;
};

}  // namespace

std::unique_ptr<Executor> make_executor(bool on_device, assay_run_function run,
                                        void (*thread_started)()) {
  if (!on_device) { return make_host_executor(run, thread_started); }
  auto device = open_device();
  if (!device) { return std::make_unique<NoExecutor>(device.error().message); }
  return make_device_executor(run, std::move(*device), thread_started);
}

}  // namespace assay
