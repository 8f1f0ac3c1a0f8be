// The one shrinker of cases: used by the property drivers, by `assay shrink` and on fuzz artifacts.
#pragma once

#include <vector>

#include "src/problem/case_spec.h"

namespace assay {

// Valid cases that are simpler than spec, the biggest steps first: fewer experts, fewer rows,
// smaller k and n, then no tail, padding, gaps or misalignment, told=offsets, plainer convention,
// tactic and exec, fewer accumulations, a simpler fill of the same class (exact or real), a small
// seed. Every step lowers one component and raises none, but for a seed below 16 where experts go
// (of real values): following candidates always ends.
std::vector<CaseSpec> shrink_candidates(const CaseSpec& spec);

}  // namespace assay
