// Tally: what a profile's run has shown, check by check; a pure function of the judged cases in
// profile order.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "properties/check.h"
#include "src/campaign/measured.h"
#include "src/campaign/waiver.h"
#include "src/problem/case_spec.h"

namespace assay {

inline constexpr int kVerdictKinds = 9;
inline constexpr int kPassCount = 3;

// What the tallies keep of a case once it has run.
struct CaseFacts {
  Pass pass{};
  Inputs in{};
  Output out;
  OffsetsKind offsets{};
  WeightsLayout weights = WeightsLayout::kEnk;
  Fill fill = Fill::kIntegers;
  std::string tactic{};
  bool accumulates = false;
  bool biased = false;
  bool many_tiles = false;
  Index experts = 0, rows = 0, k = 0, n = 0, products = 0;
  std::array<std::uint64_t, 2> line_hash{};  // of the canonical line
};
CaseFacts facts_of(const CaseSpec& spec);
// More than two of the largest tile that the manifest declares, in the output's rows and columns
// and in the reduction; false where it declares none.
bool has_many_tiles(const CaseSpec& spec, const Manifest& manifest);

struct JobResult {
  bool ran = false;
  VerdictKind kind = VerdictKind::kNotRun;
  double worst_ratio = 0;
  Index runs = 0;
  double seconds = 0;
  bool alone = false;    // run once more after the others: what it shows now is no overload
  bool killed = false;   // crashed: as in Outcome
  std::string reason{};  // of a verdict that judged nothing; beside a figure, more about it
  std::optional<double> measured{};  // in the check's unit
  CaseFacts facts{};
};
bool is_finding(VerdictKind kind);  // Failed, Crashed, Hung
bool is_judged(VerdictKind kind);   // Passed or a finding, or Measured: judged right before

struct CheckTally {
  const Check* check = nullptr;
  VerdictKind verdict = VerdictKind::kNotRun;
  std::string reason{};      // why it is not applicable, not run or not passed
  std::string not_judged{};  // why cases were not: of the first one that could not be run
  Index drawn = 0;           // cases that the profile gives it
  Index cases = 0;           // distinct ones, judged
  Index runs = 0;            // kernel calls
  Index left_out = 0;        // not run because the check had its findings
  std::array<Index, kVerdictKinds> kinds{};
  double worst_ratio = 0;
  Index worst_job = -1;      // its place in the profile's order
  MeasuredCases measured{};  // of a check that measures
  double seconds = 0;
  std::optional<Waiver> waiver{};  // of a failure that is let through

  bool fails() const { return is_finding(verdict) && !waiver; }
  Index failed_cases() const;   // Failed, Crashed or Hung
  Index counted_cases() const;  // of any verdict
};

// Sizes of one judged case.
struct CaseSizes {
  Index experts = 0, rows = 0, k = 0, n = 0;
  friend bool operator==(const CaseSizes&, const CaseSizes&) = default;
};

// The domain in which cases were judged, and how many distinct ones.
struct Domain {
  template <class T>
  struct Range {
    T least{}, most{};
    bool empty = true;
    void take(T value) {
      least = empty || value < least ? value : least;
      most = empty || value > most ? value : most;
      empty = false;
    }
  };
  std::array<Index, kPassCount> cases{};  // distinct, judged, of each pass
  std::array<Index, kPassCount> drawn{};
  std::map<std::string, Index> formats;      // "fwd bf16 -> bf16"
  std::map<std::string, Index> conventions;  // "ends:i32"
  std::map<std::string, Index> weights, fills, tactics, many_tiles;
  Index accumulating = 0;
  Index biased = 0;  // 0 in older records
  Range<Index> experts, rows, k, n, products;
  // What was large at once: the first case of those with the largest product of two sizes, or with
  // the most experts. Nothing where no case was judged, and in older records.
  std::optional<CaseSizes> largest_k_n{}, largest_rows_k{}, largest_rows_n{},
      largest_rows_experts{}, most_experts{};

  Index total() const { return cases[0] + cases[1] + cases[2]; }
};

enum class Conclusion : std::uint8_t { kPassed, kFailed, kIncomplete };
std::string_view name(Conclusion conclusion);

struct Tally {
  Conclusion conclusion = Conclusion::kIncomplete;
  std::vector<std::string> incomplete_because;
  std::vector<std::string> broken_waivers;  // each makes the run Failed
  std::vector<CheckTally> checks;
  Domain domain;
  Index runs = 0;
  std::array<Index, kVerdictKinds> kinds{};

  Index waived() const;                    // checks
  Index count(VerdictKind verdict) const;  // of checks
};

// One check's share in a profile, its jobs by their place in the profile's order.
struct CheckJobs {
  const Check* check = nullptr;
  std::optional<std::string> not_applicable{};
  std::vector<Index> jobs{};
};

struct TallyRules {
  Index max_findings_per_check = 1;  // results after that many findings of a check do not count
  bool keep_going = false;           // but with it all count
  Index last_job = -1;               // nor results after this job; -1: all
  std::string cut_short{};           // why not all jobs ran, if so
  bool whole_profile = true;         // coverage rules hold
  std::vector<Pass> declared_passes{};
  std::string part_of_run{};      // which part; it has no verdict of its own, unless Failed
  std::vector<Waiver> waivers{};  // those of the kernel
  std::string today{};            // YYYY-MM-DD
};

Tally tally(const std::vector<CheckJobs>& checks, const std::vector<JobResult>& results,
            const TallyRules& rules);

}  // namespace assay
