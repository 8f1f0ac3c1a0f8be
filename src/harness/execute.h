// Runs prepared calls of a kernel in this process, one or several at once, and times them.
#pragma once

#include <span>
#include <string>

#include "src/harness/call_record.h"
#include "src/kernels/abi.h"

namespace assay {

struct ExecuteOptions {
  int calls = 1;                       // of each record, one after another
  void (*thread_started)() = nullptr;  // called first by each thread that calls the kernel
};

struct ExecuteResult {
  int status = ASSAY_OK;  // of the first call that was not OK
  bool threw = false;
  double seconds = 0;   // of the last call of the first record
  std::string message;  // of that call, one line; what was thrown
};

// One record runs in the caller; more run in a thread each, all started at once.
ExecuteResult execute_calls(assay_run_function run, std::span<const CallRecord> records,
                            const ExecuteOptions& options);

}  // namespace assay
