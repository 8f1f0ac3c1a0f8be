#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "src/harness/call/arena_session.h"
#include "src/harness/process/crash_text.h"
#include "src/harness/process/worker_process.h"

namespace assay {
namespace {

using Kind = WorkerAnswer::Kind;

WorkerProcess::Deadline deadline_in(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

std::string with_output(const std::string& text, WorkerProcess& worker) {
  const std::string output = worker.last_output();
  return output.empty() ? text : fmt::format("{}; it printed '{}'", text, output);
}

struct StartedWorker {
  std::unique_ptr<WorkerProcess> process;
  std::string manifest;
  DeviceFacts device;
};

// Errors: no worker, or the kernel does not load in it.
Result<StartedWorker> start_worker(const std::string& kernel, const SessionOptions& options) {
  const auto command = worker_command(kernel, options.worker_path);
  ASSAY_TRY(command);
  auto worker = WorkerProcess::start(*command);
  ASSAY_TRY(worker);
  WorkerAnswer hello = (*worker)->wait(deadline_in(options.load_seconds));
  if (hello.kind == Kind::kHello && hello.hello.loaded == 1) {
    return StartedWorker{std::move(*worker), std::move(hello.text), hello.hello.device};
  }
  if (hello.kind == Kind::kHello && hello.hello.loaded == kNoThread) {
    return run_short(std::move(hello.text));
  }
  if (hello.kind == Kind::kHello) { return make_error(std::move(hello.text)); }
  if (hello.kind == Kind::kTimedOut) {
    return make_error(
        fmt::format("kernel '{}' did not load within {} s", kernel, options.load_seconds));
  }
  const auto nowhere = [](std::uint64_t) { return std::optional<AddressPlace>(); };
  Error error{fmt::format("kernel '{}' does not load: {}", kernel,
                          with_output(describe_end(hello, nowhere), **worker)),
              ran_short(hello)};
  return tl::unexpected(std::move(error));
}

ExecutionReport report_done(const DoneBody& done, const std::string& texts) {
  const std::size_t cut = std::min<std::size_t>(done.message_bytes, texts.size());
  ExecutionReport report = report_of({.end = done.end,
                                      .status = done.status,
                                      .seconds = done.seconds,
                                      .host_seconds = done.host_seconds,
                                      .stray = done.stray,
                                      .message = texts.substr(0, cut),
                                      .leftover = texts.substr(cut)});
  if (done.counted != 0) { report.holdings = done.holdings; }
  return report;
}

class WorkerSession : public ArenaSession {
 public:
  WorkerSession(std::string kernel, Manifest manifest, std::unique_ptr<SharedMemory> memory,
                SessionOptions options, StartedWorker worker)
      : ArenaSession(std::move(kernel), std::move(manifest), std::move(memory), worker.device),
        options_(std::move(options)),
        manifest_text_(std::move(worker.manifest)),
        worker_(std::move(worker.process)) {}
  void release_operands() override {
    if (worker_ != nullptr) { worker_->release(); }
  }
  Result<std::optional<std::vector<LoadedFile>>> loaded_code() override;
  bool loaded_more() const override { return parting_code_ || code_mark_ != named_mark_; }
  void set_deadline(double seconds) override { options_.deadline_seconds = seconds; }
  void start_afresh() override {
    worker_.reset();
    release_memory();
  }

 protected:
  ExecutionReport execute(std::span<const CallRecord> records, const CallPlan& plan) override;
  ExecutionReport execute(const MultiplyRecord& record, const Region& memory) override;

 private:
  ExecutionReport await_answer();
  bool send_run(std::span<const CallRecord> records, const CallPlan& plan);
  ExecutionReport report(const WorkerAnswer& answer);

  SessionOptions options_;
  std::string manifest_text_;
  std::unique_ptr<WorkerProcess> worker_;      // null after a crash, until the next run
  std::optional<std::uint64_t> code_mark_{};   // of the last run
  std::optional<std::uint64_t> named_mark_{};  // of the last time that the worker was asked
  std::optional<std::vector<LoadedFile>> parting_code_{};  // of a worker that is given up
};

bool WorkerSession::send_run(std::span<const CallRecord> records, const CallPlan& plan) {
  if (!worker_->unmap(memory().take_released())) { return false; }
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!worker_->map(arenas()[i]->regions(), memory().fd())) { return false; }
  }
  return worker_->run(records, plan);
}

ExecutionReport WorkerSession::execute(std::span<const CallRecord> records, const CallPlan& plan) {
  if (worker_ == nullptr) {
    auto started = start_worker(kernel_spec(), options_);
    if (!started) { return {RunStatus::kNotRun, started.error().message}; }
    if (started->manifest != manifest_text_) {
      return {RunStatus::kCrashed,
              "the kernel declares another manifest than when it was loaded first: it was built "
              "again meanwhile, or changes its mind"};
    }
    worker_ = std::move(started->process);
    named_mark_.reset();
  }
  send_run(records, plan);  // where that fails, the answer says why
  return await_answer();
}

ExecutionReport WorkerSession::execute(const MultiplyRecord& record, const Region& memory) {
  if (worker_ == nullptr) { return {RunStatus::kNotRun, kNoOperands}; }
  if (worker_->unmap(this->memory().take_released()) &&
      worker_->map({&memory.place(), 1}, this->memory().fd())) {
    worker_->multiply(record);
  }
  return await_answer();
}

ExecutionReport WorkerSession::await_answer() {
  const WorkerAnswer answer = worker_->wait(deadline_in(options_.deadline_seconds));
  ExecutionReport result = report(answer);
  const bool usable = answer.kind == Kind::kDone && answer.done.end != CallsEnd::kDeviceLost &&
                      answer.done.end != CallsEnd::kNotMapped && answer.done.spoiled == 0;
  if (usable) { code_mark_ = answer.done.code_mark; }
  if (!usable && answer.kind == Kind::kDone && answer.done.code_mark != named_mark_) {
    if (auto code = loaded_code()) { parting_code_ = std::move(*code); }
  }
  if (!usable) { worker_.reset(); }
  return result;
}

Result<std::optional<std::vector<LoadedFile>>> WorkerSession::loaded_code() {
  if (parting_code_) { return std::exchange(parting_code_, std::nullopt); }
  std::string text;
  for (bool asked = false, last = false; !last; asked = true) {
    if (worker_ == nullptr) { return std::nullopt; }
    if (!asked) {
      worker_->ask_code();  // where that fails, the answer says so
    }
    const WorkerAnswer answer = worker_->wait(deadline_in(options_.deadline_seconds));
    if (answer.kind != Kind::kCode) {
      worker_.reset();
      continue;
    }
    text += answer.text;
    last = answer.code.last == 1;
    named_mark_ = answer.code.code_mark;
    code_mark_ = named_mark_;
  }
  auto files = parse_loaded(text);
  ASSAY_TRY(files);
  return std::move(*files);
}

ExecutionReport WorkerSession::report(const WorkerAnswer& answer) {
  switch (answer.kind) {
    case Kind::kDone:
      return report_done(answer.done, answer.text);
    case Kind::kTimedOut:
      return {
          RunStatus::kHung,
          with_output(fmt::format("no answer within {} s", options_.deadline_seconds), *worker_)};
    case Kind::kHello:
    case Kind::kCode:
    case Kind::kDied:
    case Kind::kGarbage:
      break;
  }
  const Locate locate = [this](std::uint64_t address) {
    std::optional<AddressPlace> place;
    for (const auto& arena : arenas()) {
      if (!place) { place = arena->locate(address); }
    }
    return place;
  };
  return {.status = ran_short(answer) ? RunStatus::kNotRun : RunStatus::kCrashed,
          .message = with_output(describe_end(answer, locate), *worker_),
          .killed = answer.killed,
          .crash = crash_kind(answer, locate)};
}

}  // namespace

Result<std::unique_ptr<Session>> open_worker_session(const std::string& kernel,
                                                     const SessionOptions& options) {
  auto memory = SharedMemory::create();
  ASSAY_TRY(memory);
  auto started = start_worker(kernel, options);
  ASSAY_TRY(started);
  auto manifest = parse_manifest(started->manifest);
  if (!manifest) {
    return make_error(fmt::format("kernel '{}': {}", kernel, manifest.error().message));
  }
  if (Status accepted = accept_device(*manifest, started->device); !accepted) {
    return tl::unexpected(accepted.error());
  }
  return std::make_unique<WorkerSession>(kernel, std::move(*manifest), std::move(*memory), options,
                                         std::move(*started));
}

}  // namespace assay
