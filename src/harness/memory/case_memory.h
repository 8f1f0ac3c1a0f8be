// How much of the machine's memory a case takes, told from its line before any of it is there.
#pragma once

#include <string>

#include "src/contract/manifest.h"
#include "src/core/memory_budget.h"
#include "src/problem/problem.h"

namespace assay {

// What is there at the same time while a check has its case run and judged.
struct HeldAtOnce {
  int problems = 2;  // dense operands, each as large as the case's
  int outputs = 3;   // copied out, or predicted
  int calls = 1;     // that run at once, where the case asks for fewer
};

struct CaseMemory {
  Index problems = 0;
  Index calls = 0;  // operands as the kernel has them, with gaps, guards and offset arrays
  Index workspaces = 0;
  Index outputs = 0;

  Index total() const;  // at most what an Index holds
};
// Requires: check_case(spec).
CaseMemory memory_of_case(const CaseSpec& spec, const Manifest& manifest,
                          const HeldAtOnce& held = {});

// Counts it in the budget of this process. Errors (a shortage): what the case needs, and what is
// available.
Result<MemoryShare> take_memory(const CaseSpec& spec, const Manifest& manifest,
                                const HeldAtOnce& held = {});

// Of a sparse operand: the pages that hold rows, at most. physical_rows: of the case's layout.
Index resident_bytes(const CaseSpec& spec, Role role, Index physical_rows);

// Bytes of the region that an area of `bytes` lies in: a power of two of pages up to this size.
inline constexpr Index kSmallRegionBytes = Index{1} << 20;
Index region_bytes(Index bytes, bool sparse);

}  // namespace assay
