// Calls of a kernel on a device: operands go over, calls are made in streams, everything comes
// back.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "src/harness/call/executor.h"
#include "src/harness/call/kernel_call.h"
#include "src/harness/device/device_mirror.h"
#include "src/harness/process/together.h"

namespace assay {
namespace {

constexpr int kCudaDevice = 2;  // DLPack's
constexpr double kGateSeconds = 3e-4;

enum Event { kBegin, kEnd };

class DeviceExecutor : public Executor {
 public:
  DeviceExecutor(assay_run_function run, std::unique_ptr<Device> device, void (*thread_started)())
      : run_(run), device_(std::move(device)), mirror_(*device_), thread_started_(thread_started) {}

  void use_memory(int fd) override { mirror_.use_memory(fd); }
  void forget(const RegionPlace& place) override;
  DeviceFacts facts() const override { return device_->facts(); }
  ExecuteResult execute(std::span<const CallRecord> records, const CallPlan& plan) override;
  ExecuteResult multiply(const MultiplyRecord& record) override;
  void release_operands() override;

 private:
  // Errors of the device leave the result as it is: the caller says that the device is lost.
  Status upload(const CallPlan& plan);
  Status set_aside(const CallPlan& plan);
  Status make_calls(const CallPlan& plan, ExecuteResult& result);
  Status call_in_streams(const CallPlan& plan, ExecuteResult& result);
  Status call_before_operands(const CallPlan& plan, ExecuteResult& result);
  Status call_in_graph(const CallPlan& plan, ExecuteResult& result);
  Status settle(const CallPlan& plan, ExecuteResult& result);
  ExecuteResult stopped(const Error& error);
  ExecuteResult call(std::size_t index, const CallPlan& plan, void* stream);
  void call_from_threads(const CallPlan& plan, std::span<void* const> streams,
                         std::vector<ExecuteResult>& results);

  assay_run_function run_;
  std::unique_ptr<Device> device_;
  DeviceMirror mirror_;
  void (*thread_started_)();
  std::vector<MirroredCall> calls_;
  bool operands_stay_ = false;          // those of calls_ are as the kernel left them
  std::optional<CallRecord> captured_;  // of the graph that can be launched again
};

ExecuteResult not_run(std::string why) {
  ExecuteResult result{.end = CallsEnd::kNotRun};
  result.message = std::move(why);
  return result;
}

// Work of the harness failed. What the device has got over says nothing of the kernel; what it
// says from then on was left there by a launch that ran on after its call had returned.
ExecuteResult DeviceExecutor::stopped(const Error& error) {
  if (device_->wait(0)) { return not_run(error.message); }
  operands_stay_ = false;
  captured_.reset();
  return {.end = CallsEnd::kDeviceLost,
          .message = "an earlier launch of the kernel left it in error: " + error.message};
}

void DeviceExecutor::forget(const RegionPlace& place) {
  for (const MirroredCall& call : calls_) {
    for (const DeviceImage& image : call.images) {
      if (image.host.region == place.address) { operands_stay_ = false; }
    }
  }
  mirror_.forget(place.address);
}

void DeviceExecutor::release_operands() {
  operands_stay_ = false;
  mirror_.drop_large();
}

ExecuteResult DeviceExecutor::multiply(const MultiplyRecord& record) {
  if (!operands_stay_) { return not_run(kNoOperands); }
  const auto matrix = DeviceMirror::locate(calls_.front(), record.matrix);
  if (!matrix) { return not_run(matrix.error().message); }
  const MultiplyMemory memory(record.memory, record.matrix);
  const auto product = device_->multiply(*matrix, record.form, memory.vector());
  if (!product) { return stopped(product.error()); }
  std::ranges::copy(product->values, memory.values().begin());
  std::ranges::copy(product->bad_rows, memory.bad_rows().begin());
  memory.largest() = product->largest;
  return {};
}

ExecuteResult DeviceExecutor::execute(std::span<const CallRecord> records, const CallPlan& plan) {
  release_operands();
  calls_.clear();
  for (const CallRecord& record : records) {
    auto call = mirror_.place(record);
    if (!call) { return stopped(call.error()); }
    calls_.push_back(std::move(*call));
  }
  const bool in_graph = plan.launch == Launch::kGraph || plan.launch == Launch::kReplay;
  if (in_graph && calls_.size() != 1) { return not_run("a graph is made of one call's launches"); }
  if (plan.launch == Launch::kReplay && captured_ != calls_[0].record) {
    return not_run("no graph was captured for a call like this one");
  }
  if (plan.launch == Launch::kLateOperands && calls_.size() != 1) {
    return not_run("operands come late to one call only");
  }
  ExecuteResult result;
  // Memory that is short until here is not the kernel's doing.
  if (Status ready = upload(plan); !ready) { return stopped(ready.error()); }
  Status status = make_calls(plan, result);
  if (status) { status = settle(plan, result); }
  if (!status) {
    captured_.reset();
    result.end = CallsEnd::kDeviceLost;
    result.message = status.error().message;
    return result;
  }
  operands_stay_ = plan.operands_stay != 0 && !calls_.empty() && is_ok(result);
  if (!operands_stay_) { mirror_.drop_large(); }
  return result;
}

Status DeviceExecutor::upload(const CallPlan& plan) {
  const bool late = plan.launch == Launch::kLateOperands;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const int stream = static_cast<int>(i);
    Status status = late ? mirror_.stage(calls_[i], stream) : mirror_.upload(calls_[i], stream);
    if (!status) { return status; }
  }
  return late ? Status() : set_aside(plan);
}

// What the calls accumulate into, where it is asked for afterwards.
Status DeviceExecutor::set_aside(const CallPlan& plan) {
  const bool overwritten = plan.operands_stay != 0 && calls_.front().record.accumulate != 0;
  return overwritten ? mirror_.set_aside(calls_.front(), 0) : Status();
}

Status DeviceExecutor::make_calls(const CallPlan& plan, ExecuteResult& result) {
  switch (plan.launch) {
    case Launch::kReplay:
      return device_->launch_graph(0);
    case Launch::kGraph:
      return call_in_graph(plan, result);
    case Launch::kLateOperands:
      return call_before_operands(plan, result);
    case Launch::kDirect:
      break;
  }
  return call_in_streams(plan, result);
}

Status DeviceExecutor::call_before_operands(const CallPlan& plan, ExecuteResult& result) {
  using Clock = std::chrono::steady_clock;
  Status status;
  for (const double seconds : kLateSeconds) {
    // They are there by now, and go away again.
    if (seconds > kLateSeconds[0]) { status = mirror_.stage(calls_[0], 0); }
    const auto start = Clock::now();
    if (status) { status = mirror_.arrive_late(calls_[0], 0, seconds); }
    if (status) { status = set_aside(plan); }
    if (status) { status = call_in_streams(plan, result); }
    const std::chrono::duration<double> taken = Clock::now() - start;
    if (!status || taken.count() < seconds) { break; }
  }
  return status;
}

ExecuteResult DeviceExecutor::call(std::size_t index, const CallPlan& plan, void* stream) {
  const CallTarget target{kCudaDevice, device_->ordinal(), stream};
  Status switched;
  if (plan.other_device != 0) { switched = device_->use_other_device(true); }
  if (!switched) { return not_run(switched.error().message); }
  ExecuteResult result = call_kernel(run_, calls_[index].record, target, plan.calls);
  // An error that the kernel did not ask for would be the next call's.
  const Status pending = device_->pending_error();
  if (is_ok(result) && !pending) {
    result.status = ASSAY_ERROR;
    result.message = "it returned OK and left behind " + pending.error().message;
  }
  if (plan.other_device != 0) { switched = device_->use_other_device(false); }
  return switched ? result : not_run(switched.error().message);
}

void DeviceExecutor::call_from_threads(const CallPlan& plan, std::span<void* const> streams,
                                       std::vector<ExecuteResult>& results) {
  const Status called = call_together(streams.size(), thread_started_, [&](std::size_t i) {
    results[i] = call(i, plan, streams[i]);
  });
  if (!called) { results.assign(results.size(), not_run(called.error().message)); }
}

Status DeviceExecutor::call_in_streams(const CallPlan& plan, ExecuteResult& result) {
  std::vector<void*> streams;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const auto stream = device_->stream(static_cast<int>(i));
    ASSAY_TRY(stream);
    streams.push_back(*stream);
    // All streams wait, so that the calls' work begins at about the same time.
    if (calls_.size() == 1) { continue; }
    if (Status held = device_->hold(static_cast<int>(i), kGateSeconds); !held) { return held; }
  }
  std::vector<ExecuteResult> results(calls_.size());
  Status status = device_->mark(0, kBegin);
  if (status && calls_.size() > 1 && plan.one_caller == 0) {
    call_from_threads(plan, streams, results);
  } else if (status) {
    for (std::size_t i = 0; i < calls_.size(); ++i) { results[i] = call(i, plan, streams[i]); }
  }
  if (status) { status = device_->mark(0, kEnd); }
  result = result_of(results);
  return status;
}

Status DeviceExecutor::call_in_graph(const CallPlan& plan, ExecuteResult& result) {
  captured_.reset();
  const auto stream = device_->stream(0);
  ASSAY_TRY(stream);
  if (Status status = device_->begin_capture(0); !status) { return status; }
  result = call(0, plan, *stream);
  const Status captured = device_->end_capture(0);
  if (!is_ok(result)) { return {}; }
  if (!captured) {
    result.status = ASSAY_ERROR;
    result.message = "its launches cannot be captured: " + captured.error().message;
    return {};
  }
  captured_ = calls_[0].record;
  return device_->launch_graph(0);
}

Status DeviceExecutor::settle(const CallPlan& plan, ExecuteResult& result) {
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (Status status = device_->wait(static_cast<int>(i)); !status) { return status; }
  }
  if (plan.launch == Launch::kDirect || plan.launch == Launch::kLateOperands) {
    const auto seconds = device_->seconds_between(kBegin, kEnd);
    ASSAY_TRY(seconds);
    result.seconds = *seconds / plan.calls;
  }
  const auto stray = mirror_.first_stray(calls_);
  ASSAY_TRY(stray);
  result.stray = *stray;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Status status = mirror_.download(calls_[i], static_cast<int>(i));
    if (!status) { return status; }
  }
  return {};
}

}  // namespace

std::unique_ptr<Executor> make_device_executor(assay_run_function run,
                                               std::unique_ptr<Device> device,
                                               void (*thread_started)()) {
  return std::make_unique<DeviceExecutor>(run, std::move(device), thread_started);
}

}  // namespace assay
