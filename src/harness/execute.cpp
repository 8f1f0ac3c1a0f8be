#include "src/harness/execute.h"

#include <barrier>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

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
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.message = one_line(call.message());
  } catch (const std::exception& exception) {
    result.threw = true;
    result.message = one_line(exception.what());
  } catch (...) {
    result.threw = true;
    result.message = "of a type that is no std::exception";
  }
}

ExecuteResult execute_record(assay_run_function run, const CallRecord& record, int calls) {
  ExecuteResult result;
  CallOfRecord call(record);
  for (int i = 0; i < calls && !result.threw && result.status == ASSAY_OK; ++i) {
    call_once(run, call, result);
  }
  return result;
}

bool is_ok(const ExecuteResult& result) { return !result.threw && result.status == ASSAY_OK; }

}  // namespace

ExecuteResult execute_calls(assay_run_function run, std::span<const CallRecord> records,
                            const ExecuteOptions& options) {
  if (records.size() == 1) return execute_record(run, records[0], options.calls);
  std::vector<ExecuteResult> results(records.size());
  std::barrier start(static_cast<std::ptrdiff_t>(records.size()));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < records.size(); ++i) {
    threads.emplace_back([&, i] {
      if (options.thread_started != nullptr) options.thread_started();
      start.arrive_and_wait();
      results[i] = execute_record(run, records[i], options.calls);
    });
  }
  threads.clear();
  for (const ExecuteResult& result : results) {
    if (!is_ok(result)) return result;
  }
  return results.front();
}

}  // namespace assay
