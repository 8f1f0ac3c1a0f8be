#include "src/campaign/case_queue.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "src/core/counted.h"

namespace assay {
namespace {

std::size_t index_of(Pass pass) { return static_cast<std::size_t>(pass); }

}  // namespace

CaseQueue::CaseQueue(std::vector<Job> jobs, std::vector<int> check_of, const BatteryLimits& limits,
                     const Shard& shard)
    : jobs_(std::move(jobs)),
      check_of_(std::move(check_of)),
      limits_(limits),
      shard_(shard),
      results_(jobs_.size()),
      handed_out_(jobs_.size(), false) {
  for (Index job = 0; job < static_cast<Index>(jobs_.size()); ++job) {
    total_ += shard_.holds(job);
  }
  const int checks = check_of_.empty() ? 0 : *std::max_element(check_of_.begin(), check_of_.end());
  findings_of_check_.resize(static_cast<std::size_t>(checks) + 1);
}

double CaseQueue::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

// Whether enough earlier cases of its check have failed; those after them never count, whichever
// thread ran first.
bool CaseQueue::has_its_findings(Index job) const {
  if (limits_.keep_going) { return false; }
  const int line = jobs_[job].line;
  const auto& found = findings_of_check_[check_of_[static_cast<std::size_t>(line)]];
  const auto earlier = std::count_if(found.begin(), found.end(), [&](Index f) { return f < job; });
  return earlier >= limits_.max_findings_per_check;
}

// Goes past cases that are not handed out: judged before, of another part, of a check that has its
// findings.
void CaseQueue::skip_cases() {
  for (; next_ < static_cast<Index>(jobs_.size()); ++next_) {
    if (!may_be_handed_out(next_)) { continue; }
    if (!has_its_findings(next_)) { return; }
    ++done_;
  }
}

bool CaseQueue::may_be_handed_out(Index job) const {
  return shard_.holds(job) && !results_[job].ran && !handed_out_[static_cast<std::size_t>(job)];
}

void CaseQueue::prefer_shapes(std::vector<std::uint64_t> shape_of_job, int workers) {
  shape_of_job_ = std::move(shape_of_job);
  workers_ = workers;
}

Index CaseQueue::nearest_of(int worker) const {
  constexpr Index kNear = 256;
  const Index end = std::min<Index>(next_ + kNear, static_cast<Index>(shape_of_job_.size()));
  for (Index job = next_; job < end; ++job) {
    const std::uint64_t shape = shape_of_job_[static_cast<std::size_t>(job)];
    const bool own = static_cast<int>(shape % static_cast<std::uint64_t>(workers_)) == worker;
    if (own && may_be_handed_out(job) && !has_its_findings(job)) { return job; }
  }
  return next_;
}

std::optional<Index> CaseQueue::next(int worker) {
  const std::scoped_lock lock(mutex_);
  if (!started_) { start_ = std::chrono::steady_clock::now(); }
  started_ = true;
  if (last_job_ >= 0) { return std::nullopt; }
  skip_cases();
  // Where no case is left, nothing is cut short.
  if (next_ >= static_cast<Index>(jobs_.size())) { return std::nullopt; }
  if (interrupted()) {
    cut_short_ = "interrupted";
  } else if (limits_.budget_seconds > 0 && !(seconds() < limits_.budget_seconds)) {
    cut_short_ = fmt::format("the budget of {:g} s is spent", limits_.budget_seconds);
  }
  if (!cut_short_.empty()) {
    cut_short_ += fmt::format("; {} of {} done", done_, counted(total_, "case"));
    next_ = static_cast<Index>(jobs_.size());
    return std::nullopt;
  }
  const Index job = nearest_of(worker);
  handed_out_[static_cast<std::size_t>(job)] = true;
  latest_line_ = jobs_[job].line;
  return job;
}

void CaseQueue::count_hung(const JobResult& result, Index by) {
  if (result.kind == VerdictKind::kHung) { hung_[index_of(result.facts.pass)] += by; }
}

bool CaseQueue::any_hung() const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(hung_, [](Index cases) { return cases > 0; });
}

bool CaseQueue::leaves_out(Index job, Pass pass) {
  const std::scoped_lock lock(mutex_);
  if (hung_[index_of(pass)] < limits_.max_hung || results_[job].ran) { return false; }
  ++left_out_[index_of(pass)];
  ++done_;
  return true;
}

std::string CaseQueue::cut_short() const {
  const std::scoped_lock lock(mutex_);
  std::string text = cut_short_;
  for (const Pass pass : kAllPasses) {
    if (left_out_[index_of(pass)] == 0) { continue; }
    text += fmt::format(
        "{}{} cases of pass {} hung, each costs a deadline: its other {} cases were "
        "left out",
        text.empty() ? "" : "; ", hung_[index_of(pass)], name(pass), left_out_[index_of(pass)]);
  }
  return text;
}

void CaseQueue::note_finding(Index job, VerdictKind kind, const Verdict& verdict) {
  if (!is_finding(kind)) { return; }
  findings_.emplace_back(job, verdict);
  const int line = jobs_[job].line;
  findings_of_check_[check_of_[static_cast<std::size_t>(line)]].push_back(job);
  stop_after(job);
}

void CaseQueue::stop_after(Index finding) {
  if (!limits_.stop_at_first_finding) { return; }
  if (last_job_ < 0 || finding < last_job_) { last_job_ = finding; }
}

// An interrupt from the terminal reaches the worker too: what looks like a crash then is none.
bool CaseQueue::came_of_an_interrupt(const JobResult& result) {
  if (!interrupted() || result.kind != VerdictKind::kCrashed) { return false; }
  if (cut_short_.empty()) {
    cut_short_ = "interrupted";  // it may have been the last one
  }
  return true;
}

bool CaseQueue::record(Index job, JobResult result, const Verdict& verdict) {
  const std::scoped_lock lock(mutex_);
  ++done_;
  if (came_of_an_interrupt(result)) { return false; }
  count_hung(result, 1);
  note_finding(job, result.kind, verdict);
  results_[job] = std::move(result);
  return true;
}

void CaseQueue::know(Index job, JobResult result, const Verdict& verdict) {
  const std::scoped_lock lock(mutex_);
  ++done_;
  count_hung(result, 1);
  note_finding(job, result.kind, verdict);
  results_[job] = std::move(result);
}

void CaseQueue::cut(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  if (cut_short_.empty()) { cut_short_ = reason; }
}

bool CaseQueue::replace(Index job, JobResult result, const Verdict& verdict) {
  const std::scoped_lock lock(mutex_);
  if (came_of_an_interrupt(result)) { return false; }
  std::erase_if(findings_, [&](const auto& finding) { return finding.first == job; });
  for (auto& found : findings_of_check_) { std::erase(found, job); }
  const bool clears = !is_finding(result.kind);
  count_hung(results_[job], -1);
  count_hung(result, 1);
  note_finding(job, result.kind, verdict);
  results_[job] = std::move(result);
  if (!clears || !cut_short_.empty()) { return true; }
  last_job_ = -1;
  for (const auto& [failed, why] : findings_) { stop_after(failed); }
  next_ = 0;
  left_out_ = {};
  handed_out_.assign(jobs_.size(), false);
  done_ = std::ranges::count(results_, true, &JobResult::ran);
  reopened_ = true;
  return true;
}

Progress CaseQueue::progress() const {
  const std::scoped_lock lock(mutex_);
  Progress progress{.done = done_,
                    .total = total_,
                    .seconds = seconds(),
                    .findings = static_cast<Index>(findings_.size())};
  if (done_ > 0) {
    progress.seconds_left =
        progress.seconds / static_cast<double>(done_) * static_cast<double>(progress.total - done_);
  }
  return progress;
}

const Verdict* CaseQueue::verdict_of(Index job) const {
  for (const auto& [failed, verdict] : findings_) {
    if (failed == job) { return &verdict; }
  }
  return nullptr;
}

}  // namespace assay
