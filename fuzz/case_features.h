// The features of a case: what its schedule looks like to a kernel that cuts it into tiles.
#pragma once

#include "fuzz/features.h"
#include "properties/check.h"
#include "src/contract/manifest.h"
#include "src/problem/case_spec.h"

namespace assay {

// Marks what the case alone decides: convention x pass, runs of empty experts, tails, starts within
// a tile, tile counts.
void mark_case_features(const CaseSpec& spec, const Manifest& manifest);

// Marks what the run showed: the verdict, and error over bound of the worst element.
void mark_verdict_features(const CaseSpec& spec, const Verdict& verdict);

}  // namespace assay
