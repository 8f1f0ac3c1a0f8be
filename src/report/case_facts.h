// What a run's cases looked like, added up for the pictures of a report.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/record/run_record.h"

namespace assay {

inline constexpr int kRatioBins = 20;  // of error over bound, up to 1

// Of one pass and pair of formats.
struct RatioCounts {
  Index exact = 0;                       // cases without any error
  std::array<Index, kRatioBins> bins{};  // above 0, up to 1
  Index above = 0;                       // past 1, or no number
  double worst = 0;
  std::string worst_case;
};

inline constexpr std::string_view kSizeClasses[] = {
    "0", "1", "2-15", "16-31", "32-63", "64-127", "128-255", "256-1023", "1024+"};
inline constexpr std::string_view kAlignmentClasses[] = {"128", "64",   "32", "16",
                                                         "8",   "2, 4", "odd"};
// Experts by rows (size class) and by the largest power of two that divides their first row.
using CoverageGrid =
    std::array<std::array<Index, std::size(kSizeClasses)>, std::size(kAlignmentClasses)>;

inline constexpr Index kTileHeights[] = {8, 16, 32, 64, 96, 128, 192, 256};

// Real rows over rows of whole tiles, of a case; quantiles over cases, and over all rows.
struct UsefulRows {
  double tenth = 0, median = 0, nine_tenths = 0, overall = 0;
};

// Checks that compare two runs, by tactic.
struct RepeatCounts {
  Index equal = 0, different = 0;
};

struct CaseSummary {
  std::map<std::string, RatioCounts> ratios;     // "fwd bf16 -> bf16"
  std::map<std::string, CoverageGrid> coverage;  // by convention
  std::array<UsefulRows, std::size(kTileHeights)> useful{};
  std::vector<Index> rows_per_expert;  // descending, of all experts of all cases
  std::map<std::string, std::map<std::string, RepeatCounts>> repeats;  // check, tactic
  Index routings = 0;

  double share_of_experts(Index rows) const;  // that have exactly so many
};

// Of the cases that were judged.
CaseSummary summarize(const RunRecord& record, const Registry& names);

}  // namespace assay
