// CaseQueue: a profile's cases in the order in which they are handed out, and the bookkeeping that
// stops spending cases on a check that has its findings.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "src/campaign/plan.h"
#include "src/campaign/run_profile.h"

namespace assay {

struct BatteryLimits {
  Index max_findings_per_check = 1;
  Index max_hung = 2;  // of one pass: its other cases are then left out
  double budget_seconds = 0;
  bool stop_at_first_finding = false;
  bool keep_going = false;  // no case is left out for the findings of its check
  const std::atomic<bool>* stop = nullptr;
};

class CaseQueue {
 public:
  // check_of: the check (any numbering) of each line. Only the shard's cases are handed out.
  CaseQueue(std::vector<Job> jobs, std::vector<int> check_of, const BatteryLimits& limits,
            const Shard& shard = {});

  // Which of a kernel's shapes each job has: a worker is then handed cases of its own shapes for as
  // long as some are near, so that each shape is compiled in few of them.
  void prefer_shapes(std::vector<std::uint64_t> shape_of_job, int workers);

  // The next case to run, or nothing when all are handed out or the run is cut short.
  std::optional<Index> next(int worker = 0);
  // False where the result does not count: an interrupt looks like a crash.
  bool record(Index job, JobResult result, const Verdict& verdict);
  // A case that an earlier run has judged: it is not handed out again.
  void know(Index job, JobResult result, const Verdict& verdict);
  // Whether enough cases of the pass hung, which cost a deadline each: this one, handed out but not
  // run, is left out then.
  bool leaves_out(Index job, Pass pass);
  bool any_hung() const;
  // No more cases; why.
  void cut(const std::string& reason);
  // Replaces a hung case's result after its second run, when no case is running. A hang that was
  // none has kept cases from being handed out: `next` has them then. False as `record`.
  bool replace(Index job, JobResult result, const Verdict& verdict);
  // Whether that is so since the last question.
  bool reopened() { return std::exchange(reopened_, false); }

  Progress progress() const;
  const std::vector<Job>& jobs() const { return jobs_; }
  const std::vector<JobResult>& results() const { return results_; }
  const Verdict* verdict_of(Index job) const;   // of findings
  Index last_job() const { return last_job_; }  // results after it do not count; -1: all do
  std::string cut_short() const;
  double seconds() const;
  int line_of_latest() const { return latest_line_.load(); }

 private:
  bool has_its_findings(Index job) const;
  bool interrupted() const { return limits_.stop && limits_.stop->load(); }
  bool came_of_an_interrupt(const JobResult& result);
  void skip_cases();
  bool may_be_handed_out(Index job) const;
  Index nearest_of(int worker) const;
  void note_finding(Index job, VerdictKind kind, const Verdict& verdict);
  void stop_after(Index finding);
  void count_hung(const JobResult& result, Index by);

  std::vector<Job> jobs_;
  std::vector<int> check_of_;
  BatteryLimits limits_;
  Shard shard_;
  std::vector<JobResult> results_;
  std::vector<std::pair<Index, Verdict>> findings_;
  std::vector<std::vector<Index>> findings_of_check_;  // jobs
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool started_ = false, reopened_ = false;
  mutable std::mutex mutex_;
  Index next_ = 0, done_ = 0, total_ = 0, last_job_ = -1;
  std::array<Index, kPassCount> hung_{}, left_out_{};  // cases of each pass
  std::vector<std::uint64_t> shape_of_job_;
  int workers_ = 1;
  std::vector<bool> handed_out_;
  std::string cut_short_;
  std::atomic<int> latest_line_{0};
};

}  // namespace assay
