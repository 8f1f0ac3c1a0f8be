#include "src/harness/kernel_call.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string_view>

#include "src/core/text.h"

namespace assay {
namespace {

// An exception may say more than a packet to the driver holds.
std::string as_message(std::string_view text) {
  return one_line(text.substr(0, std::min<std::size_t>(text.size(), kMessageBytes)));
}

void call_once(assay_run_function run, CallOfRecord& call, ExecuteResult& result) {
  try {
    const auto start = std::chrono::steady_clock::now();
    result.status = run(&call.call());
    result.host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.seconds = result.host_seconds;
    result.message = as_message(call.message());
  } catch (const std::exception& exception) {
    result.end = CallsEnd::kThrew;
    result.message = as_message(exception.what());
  } catch (...) {
    result.end = CallsEnd::kThrew;
    result.message = "of a type that is no std::exception";
  }
}

}  // namespace

ExecuteResult call_kernel(assay_run_function run, const CallRecord& record,
                          const CallTarget& target, int calls) {
  ExecuteResult result;
  CallOfRecord call(record, target);
  for (int i = 0; i < calls && is_ok(result); ++i) call_once(run, call, result);
  return result;
}

}  // namespace assay
