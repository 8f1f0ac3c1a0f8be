// Limits that keep a typo from eating the machine; far beyond every case that makes sense.
#pragma once

#include "src/core/index.h"

namespace assay {

inline constexpr Index kMaxExperts = 1'000'000;
inline constexpr Index kMaxRows = Index{1} << 40;   // of all experts
inline constexpr Index kMaxWidth = Index{1} << 31;  // k, n
inline constexpr Index kMaxGap = Index{1} << 40;    // ld, wpitch, elements
inline constexpr Index kMaxPad = Index{1} << 20;
inline constexpr Index kMaxExtentBytes = Index{1} << 46;  // of one operand, gaps included
inline constexpr Index kMaxDenseBytes = Index{1} << 38;   // of one operand's elements
inline constexpr int kMaxAccumulations = 16;
inline constexpr int kMaxConcurrency = 64;  // streams, threads

}  // namespace assay
