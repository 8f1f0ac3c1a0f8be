// RunWriter: appends to a run's record while it runs, one write a line, so that a killed run loses
// at most the case that was running; or goes on with what such a run has left. The record is locked
// until the writer goes.
#pragma once

#include <functional>
#include <string>

#include "src/record/record_lock.h"
#include "src/record/run_record.h"

namespace assay {

// What is asked of others about the files of a whole run; an error ends it.
struct RunHooks {
  // Before anything is written, once the kernel is known.
  std::function<Status(const RunHeader& header, const Plan& plan)> may_begin{};
  // Once the record is this run's alone.
  std::function<Status(const RunHeader& header)> begins{};
};

class RunWriter : public CertifyObserver {
 public:
  // No path: the record is kept in memory.
  RunWriter(std::string path, bool resume, const Registry& names, RunHooks hooks = {})
      : path_(std::move(path)), resume_(resume), names_(names), hooks_(std::move(hooks)) {}
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  // Errors: a file that cannot be written, or that another run writes; when resuming, one that is
  // not a run, or another run's; what the hooks say.
  Result<std::vector<KnownCase>> begin(const Manifest& manifest, const DeviceFacts& device,
                                       const Plan& plan) override;
  Status judged(Index job, const CaseSpec& spec, const JobResult& result,
                const Verdict& verdict) override;
  // Errors also: when resuming, other code than the earlier part ran.
  Status loaded(const CodeList& code) override;
  const Finding* known_finding(Index job) const override;
  Status explained(Index job, const Finding& finding) override;
  // Errors also: the kernel's file is another one by now.
  Status ended(const ProfileRun& run) override;

  const std::string& path() const { return path_; }
  // All that was recorded, as any reader of the record sees it. Errors: as parse_run.
  Result<RunRecord> record() const;
  // To be filled in before the run begins, all but the manifest and what `begin` finds out about
  // this process.
  RunHeader& header() { return header_; }

 private:
  Status open_anew();
  Result<std::vector<KnownCase>> go_on(const std::string& text);
  Status append(const std::string& object);
  Status require_same_artifact() const;

  std::string path_;
  bool resume_ = false;
  RunHeader header_;
  Registry names_;
  RunHooks hooks_;
  Plan plan_;
  std::map<Index, Finding> known_findings_;
  CodeList earlier_code_;
  double earlier_seconds_ = 0;
  RecordLock file_;
  LineSeal seal_;
  std::string kept_;  // the record, where it has no file
};

}  // namespace assay
