// Runs a profile's battery on one kernel: several driver threads, each with a worker session of its
// own; cases are handed out as threads come free, results count in the profile's order, so that the
// content does not depend on it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/campaign/code_list.h"
#include "src/campaign/plan.h"
#include "src/campaign/profile.h"
#include "src/campaign/tally.h"
#include "src/harness/call/session.h"

namespace assay {

struct Progress {
  Index done = 0, total = 0;
  std::string_view check{};  // of the case handed out last
  double seconds = 0;
  double seconds_left = 0;
  Index findings = 0;

  double cases_per_second() const { return seconds > 0 ? static_cast<double>(done) / seconds : 0; }
};

// A case that an earlier, unfinished run has judged.
struct KnownCase {
  Index job = 0;
  JobResult result{};
  Verdict verdict{};  // of a finding
};

// Sees a run as it goes. One call at a time; an error ends the run.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // Before the first case; answers what need not be run again.
  virtual Result<std::vector<KnownCase>> begin(const Manifest& manifest, const DeviceFacts& device,
                                               const Plan& plan) = 0;
  virtual Status judged(Index job, const CaseSpec& spec, const JobResult& result,
                        const Verdict& verdict) = 0;
  // All code that the workers have loaded so far, each time that it is more.
  virtual Status loaded(const CodeList&) { return {}; }
};

// A case that another process has judged.
struct DoneElsewhere {
  Index job = 0;
  JobResult result{};
  Verdict verdict{};
};

// What a run does for other processes that take part in it.
struct CaseDesk {
  std::function<std::optional<Index>()> next;
  std::function<void(const DoneElsewhere&)> done;
  // The code that one of them has loaded so far.
  std::function<void(const std::string& who, const CodeList&)> loaded;
};

// Hands cases to other processes, from the thread that waits for the run.
class CaseServer {
 public:
  virtual ~CaseServer() = default;
  // Answers everybody who asks now. False once nobody will ask again.
  virtual bool serve(const CaseDesk& desk) = 0;
};

// One a core; of a kernel on a device no more than keep it busy: each holds a context there, half a
// gigabyte of its memory, and takes a while to start.
int workers_for(const Manifest& manifest, int cores);

struct RunProfileOptions {
  int threads = 0;            // workers at once; 0: workers_for()
  double budget_seconds = 0;  // 0: none
  std::uint64_t seed_shift = 0;
  std::string filter{};  // regular expression on check names; empty: all
  Shard shard{};
  RunObserver* observer = nullptr;
  CaseServer* server = nullptr;
  std::vector<Waiver> waivers{};  // of any kernel
  std::string today{};            // YYYY-MM-DD, by which waivers end
  Index max_findings_per_check = 1;
  bool keep_going = false;  // judges all cases, whatever fails; findings keep their limit
  // Cases of one pass that hang, each costs a deadline: its other cases are then left out, those of
  // other passes are not.
  Index max_hung = 2;
  bool stop_at_first_finding = false;
  double deadline_seconds = 30;
  const std::atomic<bool>* stop = nullptr;          // set by a signal
  std::function<void(const Progress&)> progress{};  // called from this thread, a few times a second
};

// A failed case, not yet shrunk or explained.
struct EarlierRun {
  const Check* check = nullptr;
  CaseSpec spec;
};

struct Failure {
  const Check* check = nullptr;
  Index job = 0;
  CaseSpec spec;
  Verdict verdict;
  std::vector<EarlierRun> before{};  // of the same worker since it was started; empty: not known
};

struct ProfileRun {
  Manifest manifest;
  DeviceFacts device{};  // of a kernel on a device
  Tally tally{};
  std::vector<Failure> failures{};  // in profile order
  std::vector<std::string>
      worst_cases{};  // one a check of the tally, empty where nothing was judged
  std::vector<std::string> worst_measured_cases{};  // the same, where nothing was measured
  std::string cut_short{};                          // why not all cases ran, if so
  Shard shard{};
  double seconds = 0;           // of the cases
  double start_seconds = 0;     // until the workers were there
  double patience_seconds = 0;  // that a call of the slowest case would have had at the end
  int threads = 0;
  CodeList code{};            // that the workers had loaded
  bool whole_profile = true;  // own seeds, no filter, no shard: else nothing is certified
  // As the run has left them: what explains its failures need not open others.
  std::vector<std::shared_ptr<Session>> sessions{};
};

// Runs and judges one case of the plan; `verdict` has what a finding needs.
JobResult run_job(const Plan& plan, const Manifest& manifest, Session& session, Index job,
                  const CaseSpec& spec, Verdict& verdict);

// Errors: a kernel that does not open, a device that the profile excludes, a filter that is no
// regular expression or matches no check.
Result<ProfileRun> run_profile(const Profile& profile, const Registry& names,
                               const OpenSession& open, const RunProfileOptions& options);

}  // namespace assay
