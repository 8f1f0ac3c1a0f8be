// Plan: what a run of a profile on a kernel will judge: the cases in the order in which they are
// handed out, each check with its own; a pure function of profile, manifest and options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/campaign/profile.h"
#include "src/campaign/tally.h"

namespace assay {

// One case to run: case `index` of line `line`.
struct Job {
  int line = 0;
  Index index = 0;
};

// Every line advances at the same relative pace: a run cut short has seen every check, and what is
// left to do shows the time left.
std::vector<Job> interleave(const std::vector<ProfileLine>& lines);

// Part `part` of `parts`: every parts-th case, so that each part meets every check that has
// as many cases.
struct Shard {
  Index part = 1;
  Index parts = 1;

  bool whole() const { return parts == 1; }
  bool holds(Index job) const { return job % parts == part - 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

// `2/3`; nothing for any other text.
std::optional<Shard> parse_shard(std::string_view text);
// `part 1 of 3: ...`; empty for the whole.
std::string part_of_run(const Shard& shard);

struct PlanOptions {
  std::uint64_t seed_shift = 0;
  std::string filter{};  // regular expression on check names; empty: all
  Shard shard{};
};

struct Plan {
  std::vector<ProfileLine> lines{};  // those that apply to the kernel
  std::vector<const Check*> check_of_line{};
  std::vector<const Generator*> generator_of_line{};  // null: its cases are given
  std::vector<CaseSpec> own_cases{};                  // those
  std::vector<int> row_of_line{};                     // of checks
  std::vector<CheckJobs> checks{};                    // with the jobs of the shard
  std::vector<Job> jobs{};                            // of all shards
  std::uint64_t seed_shift = 0;
  Shard shard{};
  bool whole_profile = true;  // own seeds, no filter, no shard

  CaseSpec draw(Index job, const Manifest& manifest) const;
  const Check& check(Index job) const;
};

// Errors: a device that the profile excludes; a filter that is not a valid regular expression or
// matches no check.
Result<Plan> make_plan(const Profile& profile, const Registry& names, const Manifest& manifest,
                       const PlanOptions& options);

}  // namespace assay
