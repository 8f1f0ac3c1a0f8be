#include "src/certify/sequence.h"

#include <chrono>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Index kMostRepeats = 200;

class Search {
 public:
  Search(const Failure& failure, const OpenSession& open, double deadline_seconds,
         const ShrinkLimits& limits)
      : failure_(failure), open_(open), deadline_seconds_(deadline_seconds), limits_(limits) {}

  std::optional<Sequence> find() {
    const Index count = failing_run(failure_.spec, kMostRepeats);
    if (count == 1) return std::nullopt;
    // A count that changes is that of a race, not of a sequence.
    if (count > 1 && failing_run(failure_.spec, count) == count) return repeated(count);
    return from_history();
  }

 private:
  bool same(const Verdict& verdict) const { return verdict.kind == failure_.verdict.kind; }
  bool out_of_time() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    return taken.count() > limits_.max_seconds;
  }

  // Which run of the case in a fresh process fails, from 1; 0: none of `most`.
  Index failing_run(const CaseSpec& spec, Index most) {
    auto session = open_(deadline_seconds_);
    for (Index run = 1; session && run <= most && !out_of_time(); ++run) {
      verdict_ = failure_.check->run(**session, spec);
      if (same(verdict_)) return run;
    }
    return 0;
  }

  Sequence repeated(Index count) {
    const Shrunk shrunk = shrink_case(
        failure_.spec, [&](const CaseSpec& spec) { return failing_run(spec, 2 * count) > 1; },
        limits_);
    Sequence sequence{.spec = shrunk.spec, .verdict = failure_.verdict};
    const Index now = failing_run(shrunk.spec, 2 * count);
    sequence.verdict = verdict_;
    sequence.before = {{failure_.check, shrunk.spec, now - 1}};
    return sequence;
  }

  bool fails_after(const std::vector<SequenceStep>& steps) {
    auto session = open_(deadline_seconds_);
    if (!session) return false;
    for (const SequenceStep& step : steps) {
      if (out_of_time()) return false;
      run_steps(**session, {step});
    }
    verdict_ = failure_.check->run(**session, failure_.spec);
    return same(verdict_);
  }

  // Leaves out ever smaller parts of what the worker had run, as long as the failure stays.
  std::optional<Sequence> from_history() {
    start_ = std::chrono::steady_clock::now();  // repeating the case has had its own time
    std::vector<SequenceStep> steps;
    for (const EarlierRun& run : failure_.before) steps.push_back({run.check, run.spec});
    if (steps.empty() || !fails_after(steps)) return std::nullopt;
    Sequence sequence{.before = steps, .spec = failure_.spec, .verdict = verdict_};
    for (std::size_t part = (steps.size() + 1) / 2; part > 0; part /= 2) {
      for (std::size_t first = 0; first < sequence.before.size() && !out_of_time();) {
        std::vector<SequenceStep> fewer = sequence.before;
        const std::size_t end = std::min(first + part, fewer.size());
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                    fewer.begin() + static_cast<std::ptrdiff_t>(end));
        if (fails_after(fewer)) {
          sequence.before = fewer;
          sequence.verdict = verdict_;
        } else {
          first = end;
        }
      }
    }
    return sequence;
  }

  const Failure& failure_;
  const OpenSession& open_;
  double deadline_seconds_;
  ShrinkLimits limits_;
  Verdict verdict_;  // of the last run
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::string step_text(const SequenceStep& step) {
  return fmt::format("{}{}: {}", step.times > 1 ? fmt::format("{} * ", step.times) : "",
                     step.check->name, short_text(step.spec));
}

Result<SequenceStep> parse_step(const std::string& text, const BatteryNames& names) {
  SequenceStep step;
  std::string_view rest = text;
  if (const std::size_t star = rest.find(" * "); star < rest.find(':')) {
    const auto times = parse_index(rest.substr(0, star));
    if (!times || *times < 1) {
      return refuse(
          fmt::format("{} in {} is no number of runs", quote(rest.substr(0, star)), quote(text)));
    }
    step.times = *times;
    rest.remove_prefix(star + 3);
  }
  const std::size_t colon = rest.find(": ");
  step.check = colon == std::string_view::npos ? nullptr : names.check(rest.substr(0, colon));
  if (step.check == nullptr) {
    return refuse(
        fmt::format("{} does not begin with a check, as `exact_integers_match_bitwise: "
                    "pass=fwd k=1 n=1 rows=1` does (assay list checks)",
                    quote(text)));
  }
  auto spec = parse_case(rest.substr(colon + 2));
  if (!spec) return tl::unexpected(spec.error());
  step.spec = std::move(*spec);
  return step;
}

void run_steps(Session& session, const std::vector<SequenceStep>& steps) {
  for (const SequenceStep& step : steps) {
    for (Index i = 0; i < step.times; ++i) step.check->run(session, step.spec);
  }
}

std::optional<Sequence> find_sequence(const Failure& failure, const OpenSession& open,
                                      double deadline_seconds, const ShrinkLimits& limits) {
  return Search(failure, open, deadline_seconds, limits).find();
}

}  // namespace assay
