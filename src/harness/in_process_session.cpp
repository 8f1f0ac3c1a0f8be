#include "src/harness/arena_session.h"
#include "src/harness/execute.h"
#include "src/kernels/loader.h"

namespace assay {
namespace {

class InProcessSession : public ArenaSession {
 public:
  InProcessSession(LoadedKernel kernel, std::unique_ptr<SharedMemory> memory)
      : ArenaSession(kernel.spec, kernel.manifest, std::move(memory)), loaded_(std::move(kernel)) {}

 protected:
  ExecutionReport execute(std::span<const CallRecord> records, int calls) override {
    const ExecuteResult result = execute_calls(loaded_.run, records, {.calls = calls});
    memory().take_released();
    return report_of(result.status, result.threw, result.seconds, result.message);
  }

 private:
  LoadedKernel loaded_;
};

}  // namespace

Result<std::unique_ptr<Session>> open_in_process_session(const std::string& kernel) {
  auto loaded = load_kernel(kernel);
  if (!loaded) return tl::make_unexpected(loaded.error());
  auto memory = SharedMemory::create();
  if (!memory) return tl::make_unexpected(memory.error());
  return std::make_unique<InProcessSession>(std::move(*loaded), std::move(*memory));
}

}  // namespace assay
