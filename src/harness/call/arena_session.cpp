#include "src/harness/call/arena_session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "src/core/require.h"
#include "src/harness/process/fault_set.h"
#include "src/harness/process/protocol.h"

namespace assay {

namespace {

// The case of call number i.
const Problem& problem_at(std::size_t i, const Problem& problem, const RunOptions& options) {
  return options.beside != nullptr && i % 2 == 1 ? *options.beside : problem;
}

CallPlan plan_of(const CaseSpec& spec, const RunOptions& options) {
  CallPlan plan{.calls = std::max(1, spec.acc > 0 ? spec.acc : options.repeats),
                .count_holdings = options.count_holdings ? 1 : 0,
                .launch = options.launch,
                .one_caller = options.one_caller ? 1 : 0,
                .other_device = options.other_device_current ? 1 : 0,
                .operands_stay = options.operands_stay ? 1 : 0};
  if (spec.exec.kind == ExecKind::kStreams) { plan.one_caller = 1; }
  if (spec.exec.kind == ExecKind::kGraph && plan.launch == Launch::kDirect) {
    plan.launch = Launch::kGraph;
  }
  return plan;
}

}  // namespace

ExecutionReport report_of(const ExecuteResult& result) {
  ExecutionReport report{.message = result.message,
                         .seconds = result.seconds,
                         .host_seconds = result.host_seconds,
                         .stray = result.stray,
                         .leftover = result.leftover};
  switch (result.end) {
    case CallsEnd::kThrew:
      report.status = RunStatus::kCrashed;
      report.message = "the kernel threw an exception: " + result.message;
      return report;
    case CallsEnd::kHidFaults:
      report.status = RunStatus::kCrashed;
      return report;
    case CallsEnd::kDeviceLost:
      report.status = RunStatus::kCrashed;
      report.message = "the device failed: " + result.message;
      // The driver tells it by the name of its error alone.
      if (result.message.find("IllegalAddress") != std::string::npos) {
        report.crash = CrashKind::kOutOfBounds;
      }
      return report;
    case CallsEnd::kNotRun:
    case CallsEnd::kNotMapped:
      return report;
    case CallsEnd::kReturned:
      break;
  }
  report.status = RunStatus::kError;
  if (result.status == ASSAY_OK) { report.status = RunStatus::kOk; }
  if (result.status == ASSAY_UNSUPPORTED) { report.status = RunStatus::kUnsupported; }
  if (result.status < ASSAY_OK || result.status > ASSAY_ERROR) {
    report.message = fmt::format("{} is not a status of the ABI{}{}", result.status,
                                 result.message.empty() ? "" : ": ", result.message);
  } else if (report.status != RunStatus::kOk && report.message.empty()) {
    report.message = "it gave no reason";
  }
  return report;
}

Result<std::vector<CallRecord>> ArenaSession::prepare(const Problem& problem,
                                                      const RunOptions& options) {
  const Exec& exec = problem.spec.exec;
  const bool several = exec.kind == ExecKind::kThreads || exec.kind == ExecKind::kStreams;
  const int asked = several ? exec.count : 1;
  const int calls = std::max({options.concurrent, asked, 1});
  if (calls > kMostConcurrent) {
    return make_error(fmt::format("{} calls at once are more than the harness makes ({})", calls,
                                  kMostConcurrent));
  }
  std::vector<CallRecord> records;
  for (int i = 0; i < calls; ++i) {
    if (i == static_cast<int>(arenas_.size())) {
      arenas_.push_back(std::make_unique<Arena>(*memory_));
    }
    auto record = arenas_[i]->prepare(problem_at(i, problem, options), manifest_, options);
    ASSAY_TRY(record);
    records.push_back(*record);
  }
  return records;
}

void ArenaSession::inspect(const Problem& problem, const RunOptions& options, std::size_t calls,
                           Outcome& outcome) const {
  arenas_[0]->inspect(problem, outcome);
  if (calls == 1) { return; }
  FaultSet faults;
  for (const MemoryFault& fault : outcome.faults) { faults.add(fault); }
  for (std::size_t i = 1; i < calls; ++i) {
    Outcome other;
    arenas_[i]->inspect(problem_at(i, problem, options), other);
    for (const MemoryFault& fault : other.faults) { faults.add(fault); }
    if (outcome.status_word == 0) { outcome.status_word = other.status_word; }
    outcome.concurrent_outputs.push_back(std::move(other.output));
  }
  outcome.faults = faults.list();
}

// What a device kernel wrote so far from any operand that no region comes back with it.
void ArenaSession::add_stray(std::uint64_t address, Outcome& outcome) const {
  if (address == 0) { return; }
  FaultSet faults;
  for (const MemoryFault& fault : outcome.faults) { faults.add(fault); }
  for (const auto& arena : arenas_) {
    const auto place = arena->locate(address);
    if (!place) { continue; }
    faults.add({.where = MemoryFault::Where::kGuard,
                .operand = std::string(name(place->area)),
                .byte = place->byte});
    break;
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
  const ExecutionReport report = execute(*records, plan_of(problem.spec, options));
  outcome.status = report.status;
  outcome.message = report.message;
  outcome.killed = report.killed;
  outcome.crash = report.crash;
  outcome.seconds = report.seconds;
  outcome.host_seconds = report.host_seconds;
  outcome.leftover = report.leftover;
  outcome.holdings = report.holdings;
  const bool returned = report.status == RunStatus::kOk || report.status == RunStatus::kError ||
                        report.status == RunStatus::kUnsupported;
  if (!returned) { return outcome; }
  inspect(problem, options, records->size(), outcome);
  add_stray(report.stray, outcome);
  return outcome;
}

void ArenaSession::release_memory() {
  arenas_.clear();
  products_.reset();
}

DeviceProduct ArenaSession::multiply(const OperandMatrix& matrix, const oracle::IntegerForm& form,
                                     std::span<const oracle::Residue> vector) {
  ASSAY_REQUIRE(static_cast<Index>(vector.size()) == matrix.cols, vector.size(), matrix.cols);
  oracle::IntegerProduct product;
  product.values.resize(matrix.rows);
  product.bad_rows.resize(matrix.rows);
  if (matrix.rows == 0 || matrix.cols == 0) {
    return product;  // may have no memory at all
  }
  const Index bytes = MultiplyMemory::bytes_for(matrix);
  if (products_ == nullptr || products_->bytes() < bytes) {
    products_.reset();
    auto made = memory_->make_region(bytes);
    if (!made) { return tl::unexpected(MultiplyError{.message = made.error().message}); }
    products_ = std::move(*made);
  }
  const MultiplyMemory shared(products_->place().address, matrix);
  std::ranges::copy(vector, shared.vector().begin());
  const ExecutionReport report = execute({matrix, form, products_->place().address}, *products_);
  if (report.status != RunStatus::kOk) {
    return tl::unexpected(MultiplyError{report.status, report.message});
  }
  std::ranges::copy(shared.values(), product.values.begin());
  std::ranges::copy(shared.bad_rows(), product.bad_rows.begin());
  product.any_bad = std::ranges::count(product.bad_rows, 0) != matrix.rows;
  product.largest = shared.largest();
  return product;
}

}  // namespace assay
