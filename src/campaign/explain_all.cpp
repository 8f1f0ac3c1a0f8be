#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "src/campaign/explain.h"
#include "src/campaign/join_findings.h"
#include "src/core/parallel.h"
#include "src/diagnosis/known_cause.h"

namespace assay {
namespace {

ShrinkLimits::Clock::time_point seconds_from_now(double seconds) {
  using Clock = ShrinkLimits::Clock;
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

using Sessions = std::vector<std::shared_ptr<Session>>;

// Those of the run; of a run that was read from a record, new ones.
Sessions sessions_for(ProfileRun& run, const OpenSession& open, double deadline_seconds) {
  Sessions sessions = std::exchange(run.sessions, {});
  if (!sessions.empty()) { return sessions; }
  auto session = open(deadline_seconds);
  if (session) { sessions.push_back(std::move(*session)); }
  return sessions;
}

// Failures that read alike. Of wrong elements their number says nothing about the mistake: each is
// looked at. Of the rest, one tells what is behind all.
struct Group {
  std::size_t first = 0;
  bool one_cause = false;
};

std::vector<Group> groups_of(const std::vector<Failure>& failures) {
  std::map<std::string, std::size_t> firsts;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const Verdict& verdict = failures[i].verdict;
    const auto aspect = headline(verdict.failed);
    const std::string key = fmt::format("{} {} {}", name(verdict.kind),
                                        aspect ? name(*aspect) : failures[i].check->name,
                                        without_numbers(verdict.reason));
    const auto [place, fresh] = firsts.try_emplace(key, i);
    groups.push_back({place->second, aspect && !is_of_elements(*aspect)});
  }
  return groups;
}

class Explainer {
 public:
  Explainer(const std::string& kernel, const OpenSession& open, const CertifyOptions& options,
            Certification& result)
      : kernel_(kernel),
        open_(open),
        options_(options),
        result_(result),
        sessions_(sessions_for(result.run, open, options.run.deadline_seconds)) {
    result_.findings.resize(failures().size());
    if (options.explain_seconds > 0) {
      options_.shrink.end = seconds_from_now(options.explain_seconds);
      recognised_until_ = seconds_from_now((1 + kShareAfterwards) * options.explain_seconds);
    }
    thrift_begins_ = seconds_from_now(
        options.explain_seconds > 0
            ? std::min(kSecondsWithoutThrift, kShareWithoutThrift * options.explain_seconds)
            : kSecondsWithoutThrift);
    const double patience = result.run.patience_seconds;
    if (patience > 0) {
      options_.hung_deadline_seconds = patience;
      options_.hung_shrink_deadline_seconds =
          std::min(options.hung_shrink_deadline_seconds, patience / kShorterToShrink);
    }
  }

  Status explain() {
    const std::vector<Group> groups = groups_of(failures());
    const auto is_first = [&](std::size_t i) { return groups[i].first == i; };
    for_each(is_first, [&](Session* session, std::size_t i) { finish(session, i); });
    for_each([&](std::size_t i) { return !is_first(i); },
             [&](Session* session, std::size_t i) {
               if (!groups[i].one_cause) { return finish(session, i); }
               result_.findings[i] = result_.findings[groups[i].first];
               result_.findings[i].checks = {failures()[i].check};
             });
    return observed_;
  }

 private:
  // A smaller case that hangs is not waited for as long as the first one.
  static constexpr double kShorterToShrink = 10;
  // Of the time to explain: from then on, a failure that shows the mistake of an earlier finding is
  // not shrunk; and for that long after it, such failures are still looked for.
  static constexpr double kShareWithoutThrift = 0.2, kShareAfterwards = 0.3;
  static constexpr double kSecondsWithoutThrift = 10;

  const std::vector<Failure>& failures() const { return result_.run.failures; }
  bool stopped() const { return options_.run.stop && options_.run.stop->load(); }

  template <class Chosen, class Body>
  void for_each(const Chosen& chosen, const Body& body) {
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < failures().size(); ++i) {
      if (chosen(i)) { some.push_back(i); }
    }
    const int threads = std::max(1, static_cast<int>(sessions_.size()));
    parallel_for(std::ssize(some), threads, [&](int worker, Index at) {
      Session* const session =
          sessions_.empty() ? nullptr : sessions_[static_cast<std::size_t>(worker)].get();
      body(session, some[static_cast<std::size_t>(at)]);
    });
  }

  // The same mistake as that of an earlier finding.
  std::optional<Finding> recognised(Session& session, const Failure& failure) {
    const auto now = ShrinkLimits::Clock::now();
    if (now < thrift_begins_ || recognised_until_ < now) { return std::nullopt; }
    const auto aspect = headline(failure.verdict.failed);
    if (failure.verdict.kind != VerdictKind::kFailed || !aspect || !is_of_elements(*aspect)) {
      return std::nullopt;
    }
    std::vector<std::string> known;
    {
      const std::scoped_lock lock(mutex_);
      known = hypotheses_;
    }
    auto diagnosis = recognise(session, failure.verdict.inner.value_or(failure.spec), known);
    if (!diagnosis) { return std::nullopt; }
    Finding finding = as_met(kernel_, failure);
    finding.diagnosis = std::move(*diagnosis);
    return finding;
  }

  void remember(const Diagnosis& diagnosis) {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(hypotheses_, diagnosis.hypothesis) != hypotheses_.end()) { return; }
    hypotheses_.push_back(diagnosis.hypothesis);
  }

  // A finding stays one where the memory to explain it is missing.
  Finding explained_or_met(Session& session, const Failure& failure) {
    try {
      if (auto finding = recognised(session, failure)) { return std::move(*finding); }
      if (options_.shrink.out_of_time()) { return as_met(kernel_, failure); }
      Finding finding = explain_in(session, kernel_, failure, open_, options_);
      remember(finding.diagnosis);
      return finding;
    } catch (const std::bad_alloc&) {
      session.start_afresh();
      return as_met(kernel_, failure);
    }
  }

  void finish(Session* session, std::size_t i) {
    const Failure& failure = failures()[i];
    CertifyObserver* const observer = options_.observer;
    if (const Finding* known = observer ? observer->known_finding(failure.job) : nullptr) {
      result_.findings[i] = *known;
      return;
    }
    const bool explained = options_.explain && session != nullptr && !stopped();
    result_.findings[i] =
        explained ? explained_or_met(*session, failure) : as_met(kernel_, failure);
    // One that the time did not suffice for at all is explained where the run is resumed.
    const bool untouched = options_.shrink.out_of_time() &&
                           result_.findings[i].shrunk == failure.spec &&
                           result_.findings[i].diagnosis.hypothesis.empty();
    if (!observer || !explained || untouched) { return; }
    const std::scoped_lock lock(mutex_);
    if (observed_) { observed_ = observer->explained(failure.job, result_.findings[i]); }
  }

  const std::string& kernel_;
  const OpenSession& open_;
  CertifyOptions options_;
  Certification& result_;
  Sessions sessions_;
  ShrinkLimits::Clock::time_point thrift_begins_;
  ShrinkLimits::Clock::time_point recognised_until_ = ShrinkLimits::Clock::time_point::max();
  std::vector<std::string> hypotheses_;  // that explain a finding
  std::mutex mutex_;
  Status observed_;
};

}  // namespace

Status explain_all(const std::string& kernel, const OpenSession& open,
                   const CertifyOptions& options, Certification& result) {
  if (result.run.failures.empty()) {
    result.run.sessions.clear();
    return {};
  }
  return Explainer(kernel, open, options, result).explain();
}

}  // namespace assay
