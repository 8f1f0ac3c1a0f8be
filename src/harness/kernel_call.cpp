#include "src/harness/kernel_call.h"

#include <chrono>
#include <exception>

namespace assay {
namespace {

// Line ends and other control characters would break a report's line.
std::string one_line(const char* text) {
  std::string line(text);
  for (char& letter : line) {
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  return line;
}

void call_once(assay_run_function run, CallOfRecord& call, ExecuteResult& result) {
  try {
    const auto start = std::chrono::steady_clock::now();
    result.status = run(&call.call());
    result.host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.seconds = result.host_seconds;
    result.message = one_line(call.message());
  } catch (const std::exception& exception) {
    result.end = CallsEnd::kThrew;
    result.message = one_line(exception.what());
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
