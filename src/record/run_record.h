// RunRecord: everything that a run of a profile has shown, as the JSONL file that grows while it
// runs: one line that says what runs, one a finished case, one a finding, one at the end.
// Certificate, report, diff, merge and resume all read it; it is what one run hands to another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/campaign/artifact.h"
#include "src/campaign/certify.h"
#include "src/campaign/code_list.h"
#include "src/campaign/waiver.h"
#include "src/record/environment.h"
#include "src/record/line_seal.h"

namespace assay {

// Since version 2 each line is sealed, see line_seal.h. Version 1 is read, and certifies nothing.
inline constexpr int kRecordVersion = 2;

struct RunHeader {
  int version = kRecordVersion;
  std::string run{};                       // its id
  std::vector<std::string> merged_from{};  // ids of its parts, in their order
  std::string kernel{};                    // as the user wrote it
  Artifact artifact{};
  Manifest manifest{};  // with the JSON that it was read from
  Profile profile{};    // all its lines
  std::uint64_t seed_shift = 0;
  std::string filter{};
  Index max_findings_per_check = 1;
  bool keep_going = false;
  Shard shard{};
  std::vector<Waiver> waivers{};  // those of this kernel
  Harness harness{};
  Environment environment{};
  std::string started_at{};  // RFC 3339, UTC
};

struct CaseRecord {
  std::string line{};  // canonical
  JobResult result{};
  Verdict verdict{};  // of a finding
};

struct RunEnd {
  std::string finished_at{};
  double seconds = 0;
  int threads = 0;
  std::string cut_short{};
};

struct RunRecord {
  RunHeader header{};
  std::map<Index, CaseRecord> cases{};  // by their place in the profile's order
  std::map<Index, Finding> findings{};  // by the case that failed
  CodeList code{};                      // that ran
  std::optional<RunEnd> end{};          // nothing: killed, or still running
  LineSeal seal{};                      // after the last line, for the one that follows
};

// Where a run's record lies: FOLDER/<artifact>[.part<i>of<n>].results.jsonl.
std::string record_path(const std::string& folder, const Artifact& artifact, const Shard& shard);

// The profile's order, from what the header holds. Errors: as make_plan.
Result<Plan> plan_of(const RunHeader& header, const Registry& names);
// What the record amounts to; cases that are missing make it Incomplete.
Result<Certification> certification_of(const RunRecord& record, const Registry& names);

// The first thing in which two runs' headers differ, in words: such runs cannot be one. Shards,
// times and machines may differ.
std::optional<std::string> difference(const RunHeader& a, const RunHeader& b);

// Shards of one run put together. Errors: headers or files of code that differ, a case in two of
// them, a shard that did not end, a record of version 1.
struct NamedRecord {
  std::string file{};
  RunRecord record{};
};
Result<RunRecord> merge_runs(const std::vector<NamedRecord>& runs, const Registry& names);

}  // namespace assay
