#include <utility>

#include "src/harness/call/arena_session.h"
#include "src/harness/call/executor.h"
#include "src/kernels/registry.h"

namespace assay {
namespace {

class InProcessSession : public ArenaSession {
 public:
  InProcessSession(LoadedKernel kernel, std::unique_ptr<SharedMemory> memory,
                   std::unique_ptr<Executor> executor)
      : ArenaSession(kernel.spec, kernel.manifest, std::move(memory), executor->facts()),
        loaded_(std::move(kernel)),
        executor_(std::move(executor)) {
    executor_->use_memory(this->memory().fd());
  }
  void release_operands() override { executor_->release_operands(); }

 protected:
  ExecutionReport execute(std::span<const CallRecord> records, const CallPlan& plan) override {
    for (const RegionPlace& gone : memory().take_released()) { executor_->forget(gone); }
    return report_of(executor_->execute(records, plan));
  }
  ExecutionReport execute(const MultiplyRecord& record, const Region&) override {
    return report_of(executor_->multiply(record));
  }

 private:
  LoadedKernel loaded_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace

Result<std::unique_ptr<Session>> open_in_process_session(LoadedKernel kernel,
                                                         std::unique_ptr<Executor> executor) {
  if (Status accepted = accept_device(kernel.manifest, executor->facts()); !accepted) {
    return tl::unexpected(accepted.error());
  }
  auto memory = SharedMemory::create();
  ASSAY_TRY(memory);
  return std::make_unique<InProcessSession>(std::move(kernel), std::move(*memory),
                                            std::move(executor));
}

Result<std::unique_ptr<Session>> open_in_process_session(const std::string& kernel) {
  auto loaded = load_kernel(kernel);
  ASSAY_TRY(loaded);
  auto executor = make_executor(loaded->manifest.device == "cuda", loaded->run, nullptr);
  return open_in_process_session(std::move(*loaded), std::move(executor));
}

}  // namespace assay
