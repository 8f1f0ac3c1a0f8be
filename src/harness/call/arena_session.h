// ArenaSession: what the sessions share: memory is prepared and inspected here, calls are made
// elsewhere.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/harness/call/executor.h"
#include "src/harness/call/session.h"
#include "src/harness/memory/arena.h"
#include "src/harness/memory/shared_memory.h"

namespace assay {

// How the calls ended.
struct ExecutionReport {
  RunStatus status = RunStatus::kNotRun;
  std::string message;
  double seconds = 0;
  double host_seconds = 0;
  bool killed = false;  // as in Outcome
  CrashKind crash = CrashKind::kOther;
  // As in ExecuteResult.
  std::uint64_t stray = 0;
  std::string leftover{};
  std::optional<Holdings> holdings{};
};

class ArenaSession : public Session {
 public:
  ArenaSession(std::string kernel, Manifest manifest, std::unique_ptr<SharedMemory> memory,
               const DeviceFacts& device)
      : kernel_(std::move(kernel)),
        manifest_(std::move(manifest)),
        memory_(std::move(memory)),
        device_(device) {}
  const Manifest& manifest() const override { return manifest_; }
  const std::string& kernel_spec() const override { return kernel_; }
  DeviceFacts device() const override { return device_; }
  void assume(const Manifest& manifest) override { manifest_ = manifest; }
  Outcome run(const Problem& problem, const RunOptions& options) override;
  void release_memory() override;
  DeviceProduct multiply(const OperandMatrix& matrix, const oracle::IntegerForm& form,
                         std::span<const oracle::Residue> vector) override;

 protected:
  // Makes the planned calls of each record, all records at once.
  virtual ExecutionReport execute(std::span<const CallRecord> records, const CallPlan& plan) = 0;
  // `memory` holds the record's vector, and takes the product.
  virtual ExecutionReport execute(const MultiplyRecord& record, const Region& memory) = 0;

  SharedMemory& memory() { return *memory_; }
  const std::vector<std::unique_ptr<Arena>>& arenas() const { return arenas_; }

 private:
  Result<std::vector<CallRecord>> prepare(const Problem& problem, const RunOptions& options);
  void inspect(const Problem& problem, const RunOptions& options, std::size_t calls,
               Outcome& outcome) const;
  void add_stray(std::uint64_t address, Outcome& outcome) const;

  std::string kernel_;
  Manifest manifest_;
  std::unique_ptr<SharedMemory> memory_;
  DeviceFacts device_;
  std::vector<std::unique_ptr<Arena>> arenas_;  // one for each call that runs at the same time
  std::unique_ptr<Region> products_;            // what multiply shares with the executor
};

// What an executor's result means, in this process or in a worker.
ExecutionReport report_of(const ExecuteResult& result);

}  // namespace assay
