// Opening a kernel as the command line names it.
#pragma once

#include <string>

#include "properties/check.h"
#include "src/campaign/run_profile.h"
#include "src/core/error.h"

namespace assay {

// Sessions of `kernel`, each in a worker process; in this one where a debugger is to see it.
OpenSession opener_of(const std::string& kernel, bool in_process = false);

// The same, an incomplete manifest completed by a probe, which stderr is told of.
Result<OpenSession> complete_opener_of(const std::string& kernel, bool in_process = false);

// A check by name; "" is the whole judgement of a case: status, memory, every owned element.
// Errors: unknown name, with the nearest allowed ones.
Result<const Check*> check_named(const std::string& name);

// The words of a case joined and parsed.
Result<CaseSpec> case_of(const std::vector<std::string>& words);

}  // namespace assay
