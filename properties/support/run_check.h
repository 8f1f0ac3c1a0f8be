// Runs a check on a case as every command does: within the memory that there is, and so that
// whatever the machine runs short of costs that case alone.
#pragma once

#include "properties/check.h"

namespace assay {

// NotRun where the case needs more memory than is available, or the harness runs short of memory
// or threads on the way. Requires: check_case(spec); this thread has no MemoryShare.
Verdict run_check(const Check& check, Session& kernel, const CaseSpec& spec);

}  // namespace assay
