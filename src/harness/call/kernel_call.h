// One call of a kernel, with what it returned, threw and took.
#pragma once

#include "src/harness/call/call_record.h"
#include "src/harness/call/executor.h"

namespace assay {

// Calls up to `calls` times, until one is not OK or throws.
ExecuteResult call_kernel(assay_run_function run, const CallRecord& record,
                          const CallTarget& target, int calls);

// Of calls made at once: the first that is not OK, else the first; with the first leftover.
ExecuteResult result_of(std::span<const ExecuteResult> results);

inline bool is_ok(const ExecuteResult& result) {
  return result.end == CallsEnd::kReturned && result.status == ASSAY_OK;
}

}  // namespace assay
