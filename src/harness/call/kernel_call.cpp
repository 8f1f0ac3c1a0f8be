#include "src/harness/call/kernel_call.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string_view>
#include <utility>

#include "src/core/text.h"
#include "src/harness/process/thread_state.h"

namespace assay {
namespace {

// An exception may say more than a packet to the driver holds.
std::string as_message(std::string_view text) {
  return one_line(text.substr(0, std::min<std::size_t>(text.size(), kMessageBytes)));
}

void call_once(assay_run_function run, CallOfRecord& call, const ThreadState& before,
               ExecuteResult& result) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start, end;
  try {
    start = Clock::now();
    result.status = run(&call.call());
    end = Clock::now();
    result.message = as_message(call.message());
  } catch (const std::exception& exception) {
    result.end = CallsEnd::kThrew;
    result.message = as_message(exception.what());
  } catch (...) {
    result.end = CallsEnd::kThrew;
    result.message = "of a type that is not a std::exception";
  }
  std::string left = before.restore();
  if (call.restore()) { add_clause(left, "changed the call that it was given, which is const"); }
  if (result.leftover.empty()) { result.leftover = std::move(left); }
  if (result.end != CallsEnd::kReturned) { return; }
  result.host_seconds = std::chrono::duration<double>(end - start).count();
  result.seconds = result.host_seconds;
}

}  // namespace

ExecuteResult call_kernel(assay_run_function run, const CallRecord& record,
                          const CallTarget& target, int calls) {
  ExecuteResult result;
  CallOfRecord call(record, target);
  const ThreadState before;
  for (int i = 0; i < calls && is_ok(result); ++i) { call_once(run, call, before, result); }
  return result;
}

ExecuteResult result_of(std::span<const ExecuteResult> results) {
  ExecuteResult result = results.front();
  for (const ExecuteResult& each : results) {
    std::string leftover = result.leftover.empty() ? each.leftover : result.leftover;
    if (is_ok(result) && !is_ok(each)) { result = each; }
    result.leftover = std::move(leftover);
  }
  return result;
}

}  // namespace assay
