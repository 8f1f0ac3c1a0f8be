// The end of a worker in words that a kernel's author can act on.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "src/harness/call/outcome.h"
#include "src/harness/memory/arena.h"
#include "src/harness/process/worker_process.h"

namespace assay {

using Locate = std::function<std::optional<AddressPlace>(std::uint64_t address)>;

// Whether it ended for a want of memory that shows no mistake of the kernel.
bool ran_short(const WorkerAnswer& answer);
// As `SIGSEGV: read 8 bytes past the end of x`. Requires: the answer is kDied or kGarbage.
std::string describe_end(const WorkerAnswer& answer, const Locate& locate);
CrashKind crash_kind(const WorkerAnswer& answer, const Locate& locate);

}  // namespace assay
