// RunWriter: appends to a run's record while it runs, one write a line, so that a killed run loses
// at most the case that was running; or goes on with what such a run has left.
#pragma once

#include <string>

#include "src/certify/record/run_record.h"

namespace assay {

class RunWriter : public CertifyObserver {
 public:
  RunWriter(std::string path, bool resume, const BatteryNames& names)
      : path_(std::move(path)), resume_(resume), names_(names) {}
  ~RunWriter() override;
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  // Errors: a file that cannot be written; when resuming, one that is no run, or another run's.
  Result<std::vector<KnownCase>> begin(const Manifest& manifest, const DeviceFacts& device,
                                       const Plan& plan) override;
  Status judged(Index job, const CaseSpec& spec, const JobResult& result,
                const Verdict& verdict) override;
  const Finding* known_finding(Index job) const override;
  Status explained(Index job, const Finding& finding) override;
  // Errors also: the kernel's file is another one by now.
  Status ended(const ProfileRun& run) override;

  const std::string& path() const { return path_; }
  // To be filled in before the run begins, all but the manifest and what `begin` finds out about
  // this process.
  RunHeader& header() { return header_; }

 private:
  Status open_anew();
  Result<std::vector<KnownCase>> go_on(const std::string& text);
  Status append(const std::string& line);
  Status require_same_artifact() const;

  std::string path_;
  bool resume_ = false;
  RunHeader header_;
  BatteryNames names_;
  Plan plan_;
  std::map<Index, Finding> known_findings_;
  double earlier_seconds_ = 0;
  int descriptor_ = -1;
};

}  // namespace assay
