#include "src/harness/arena_session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "src/harness/fault_set.h"
#include "src/harness/protocol.h"

namespace assay {

ExecutionReport report_of(int status, bool threw, double seconds, const std::string& message) {
  if (threw) {
    return {RunStatus::kCrashed, fmt::format("the kernel threw an exception: {}", message),
            seconds};
  }
  switch (status) {
    case ASSAY_OK:
      return {RunStatus::kOk, message, seconds};
    case ASSAY_UNSUPPORTED:
      return {RunStatus::kUnsupported, message, seconds};
    case ASSAY_ERROR:
      return {RunStatus::kError, message, seconds};
    default:
      return {
          RunStatus::kError,
          fmt::format("the kernel returned {}, which is no status of the ABI {}", status, message),
          seconds};
  }
}

Result<std::vector<CallRecord>> ArenaSession::prepare(const Problem& problem,
                                                      const RunOptions& options) {
  const Exec& exec = problem.spec.exec;
  const int asked = exec.kind == ExecKind::kThreads ? exec.count : 1;
  const int calls = std::max({options.concurrent, asked, 1});
  if (calls > kMostConcurrent) {
    return refuse(fmt::format("{} calls at once are more than the harness makes ({})", calls,
                              kMostConcurrent));
  }
  std::vector<CallRecord> records;
  for (int i = 0; i < calls; ++i) {
    if (i == static_cast<int>(arenas_.size())) arenas_.push_back(std::make_unique<Arena>(*memory_));
    auto record = arenas_[i]->prepare(problem, manifest_, options);
    if (!record) return tl::make_unexpected(record.error());
    records.push_back(*record);
  }
  return records;
}

void ArenaSession::inspect(const Problem& problem, std::size_t calls, Outcome& outcome) const {
  arenas_[0]->inspect(problem, outcome);
  if (calls == 1) return;
  FaultSet faults;
  for (const MemoryFault& fault : outcome.faults) faults.add(fault);
  for (std::size_t i = 1; i < calls; ++i) {
    Outcome other;
    arenas_[i]->inspect(problem, other);
    for (const MemoryFault& fault : other.faults) faults.add(fault);
    outcome.flagged = outcome.flagged || other.flagged;
    outcome.concurrent_outputs.push_back(std::move(other.output));
  }
  outcome.faults = faults.list();
}

Outcome ArenaSession::run(const Problem& problem, const RunOptions& options) {
  Outcome outcome;
  const auto records = prepare(problem, options);
  if (!records) {
    outcome.message = records.error().message;
    return outcome;
  }
  const int calls = std::max(1, problem.spec.acc > 0 ? problem.spec.acc : options.repeats);
  const ExecutionReport report = execute(*records, calls);
  outcome.status = report.status;
  outcome.message = report.message;
  outcome.seconds = report.seconds;
  const bool returned = report.status == RunStatus::kOk || report.status == RunStatus::kError ||
                        report.status == RunStatus::kUnsupported;
  if (returned) inspect(problem, records->size(), outcome);
  return outcome;
}

}  // namespace assay
