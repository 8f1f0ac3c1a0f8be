#include "src/campaign/sequence.h"

#include <sstream>

#include <fmt/format.h>

#include "properties/support/run_check.h"
#include "src/core/digest.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Index kMostRepeats = 200;
// That a failure has to come back in, to be called steady.
constexpr int kProcesses = 3;
// A sequence of more steps than a command line shows is worth a longer try with one case alone.
constexpr Index kMostRepeatsAStep = 8;

class Search {
 public:
  Search(const Failure& failure, const OpenSession& open, double deadline_seconds,
         const ShrinkLimits& limits)
      : failure_(failure), open_(open), deadline_seconds_(deadline_seconds), limits_(limits) {}

  BroughtBack find() {
    const Index count = failing_run(failure_.spec, kMostRepeats);
    if (count > 0) {
      if (!comes_back_at(failure_.spec, count)) { return sporadic(); }
      if (count == 1) {
        back_.at_once = true;
        return back_;
      }
      return found(repeated(count));
    }
    auto sequence = from_history();
    if (!sequence) { return sporadic(); }
    if (sequence->before.size() > kMostShownSteps) {
      if (auto shorter = one_case_as_often(*sequence)) { sequence = std::move(shorter); }
    }
    return found(std::move(*sequence));
  }

 private:
  // Not by its aspect: that depends on which run of the case is the first that comes out wrong.
  bool same(const Verdict& verdict) const { return verdict.kind == failure_.verdict.kind; }
  bool out_of_time() const { return limits_.out_of_time(start_); }
  bool fails(Session& session, const CaseSpec& spec) {
    verdict_ = run_check(*failure_.check, session, spec);
    ++back_.runs;
    back_.failed += same(verdict_);
    return same(verdict_);
  }

  // What came before has had its own time.
  void restart_clock() { start_ = ShrinkLimits::Clock::now(); }

  BroughtBack sporadic() {
    back_.sporadic = !out_of_time();
    return back_;
  }
  BroughtBack found(Sequence sequence) {
    back_.sequence = std::move(sequence);
    return back_;
  }

  // Once more and once again in processes of their own: a count that changes is a race's.
  bool comes_back_at(const CaseSpec& spec, Index count) {
    for (int again = 1; again < kProcesses; ++again) {
      if (failing_run(spec, count) != count) { return false; }
    }
    return true;
  }

  // Which run of the case in a fresh process fails, from 1; 0: none of `most`.
  Index failing_run(const CaseSpec& spec, Index most) {
    auto session = open_(deadline_seconds_);
    for (Index run = 1; session && run <= most && !out_of_time(); ++run) {
      if (fails(**session, spec)) { return run; }
    }
    return 0;
  }

  Sequence repeated(Index count) {
    Sequence sequence{.before = {{failure_.check, failure_.spec, count - 1}},
                      .spec = failure_.spec,
                      .verdict = verdict_};
    restart_clock();
    const Shrunk shrunk = shrink_case(
        failure_.spec, [&](const CaseSpec& spec) { return failing_run(spec, 2 * count) > 1; },
        limits_);
    restart_clock();
    const Index now = failing_run(shrunk.spec, 2 * count);
    if (now < 2 || !comes_back_at(shrunk.spec, now)) { return sequence; }
    return {.before = {{failure_.check, shrunk.spec, now - 1}},
            .spec = shrunk.spec,
            .verdict = verdict_};
  }

  // What counts calls, or what they leave behind, does so whichever they are.
  std::optional<Sequence> one_case_as_often(const Sequence& longer) {
    restart_clock();
    const auto steps = static_cast<Index>(longer.before.size());
    const Index count = failing_run(failure_.spec, kMostRepeatsAStep * steps);
    if (count < 2 || !comes_back_at(failure_.spec, count)) { return std::nullopt; }
    return repeated(count);
  }

  bool fails_after(const std::vector<SequenceStep>& steps) {
    auto session = open_(deadline_seconds_);
    if (!session) { return false; }
    for (const SequenceStep& step : steps) {
      if (out_of_time()) { return false; }
      run_steps(**session, {step});
    }
    return fails(**session, failure_.spec);
  }

  // With the steps in each of several processes, and in none of as many without them.
  bool needs(const std::vector<SequenceStep>& steps) {
    for (int again = 1; again < kProcesses; ++again) {
      if (failing_run(failure_.spec, 1) != 0 || !fails_after(steps)) { return false; }
    }
    return true;
  }

  // Leaves out ever smaller parts of what the worker had run, as long as the failure stays.
  std::optional<Sequence> from_history() {
    restart_clock();
    std::vector<SequenceStep> steps;
    for (const EarlierRun& run : failure_.before) { steps.push_back({run.check, run.spec}); }
    if (steps.empty() || !fails_after(steps)) { return std::nullopt; }
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
    restart_clock();
    if (sequence.before.empty() || !needs(sequence.before)) { return std::nullopt; }
    join_equal_steps(sequence.before);
    return sequence;
  }

  static void join_equal_steps(std::vector<SequenceStep>& steps) {
    std::vector<SequenceStep> joined;
    for (SequenceStep& step : steps) {
      const bool again =
          !joined.empty() && joined.back().check == step.check && joined.back().spec == step.spec;
      if (again) {
        joined.back().times += step.times;
      } else {
        joined.push_back(std::move(step));
      }
    }
    steps = std::move(joined);
  }

  const Failure& failure_;
  const OpenSession& open_;
  double deadline_seconds_;
  ShrinkLimits limits_;
  Verdict verdict_;  // of the last run
  BroughtBack back_;
  ShrinkLimits::Clock::time_point start_ = ShrinkLimits::Clock::now();
};

}  // namespace

std::string step_text(const SequenceStep& step) {
  return fmt::format("{}{}: {}", step.times > 1 ? fmt::format("{} * ", step.times) : "",
                     step.check->name, short_text(step.spec));
}

Result<SequenceStep> parse_step(const std::string& text, const Registry& names) {
  SequenceStep step;
  std::string_view rest = text;
  if (const std::size_t star = rest.find(" * "); star < rest.find(':')) {
    const auto times = parse_index(rest.substr(0, star));
    if (!times || *times < 1) {
      return make_error(fmt::format("{} in {} is not a number of runs", quote(rest.substr(0, star)),
                                    quote(text)));
    }
    step.times = *times;
    rest.remove_prefix(star + 3);
  }
  const std::size_t colon = rest.find(": ");
  step.check = colon == std::string_view::npos ? nullptr : names.check(rest.substr(0, colon));
  if (step.check == nullptr) {
    return make_error(
        fmt::format("{} does not begin with a check, as `exact_integers_match_bitwise: "
                    "pass=fwd k=1 n=1 rows=1` does (assay list checks)",
                    quote(text)));
  }
  auto spec = parse_case(rest.substr(colon + 2));
  ASSAY_TRY(spec);
  step.spec = std::move(*spec);
  return step;
}

Result<std::vector<SequenceStep>> parse_steps(const std::string& text, const Registry& names) {
  std::vector<SequenceStep> steps;
  const bool in_file = text.starts_with('@');
  const auto content = in_file ? read_file(text.substr(1)) : Result<std::string>(text);
  ASSAY_TRY(content);
  std::istringstream lines(*content);
  Index number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (trim(line).empty() && in_file) { continue; }
    auto step = parse_step(line, names);
    if (!step && in_file) {
      return make_error(fmt::format("{}:{}: {}", text.substr(1), number, step.error().message));
    }
    ASSAY_TRY(step);
    steps.push_back(std::move(*step));
  }
  if (steps.empty()) { return make_error(fmt::format("{} holds no step", quote(text))); }
  return steps;
}

std::string before_options(const std::vector<std::string>& steps, const std::string& folder) {
  std::string options, lines;
  for (const std::string& step : steps) {
    options += fmt::format(" --before '{}'", step);
    lines += step + "\n";
  }
  if (steps.size() <= kMostShownSteps || folder.empty()) { return options; }
  const std::string file = fmt::format("{}/before-{}.txt", folder, sha256_hex(lines).substr(0, 12));
  // Where the file cannot be, the command alone must do.
  if (!write_file(file, lines)) { return options; }
  return fmt::format(" --before {}", shell_word("@" + file));
}

void run_steps(Session& session, const std::vector<SequenceStep>& steps) {
  for (const SequenceStep& step : steps) {
    for (Index i = 0; i < step.times; ++i) { run_check(*step.check, session, step.spec); }
  }
}

BroughtBack bring_back(const Failure& failure, const OpenSession& open, double deadline_seconds,
                       const ShrinkLimits& limits) {
  return Search(failure, open, deadline_seconds, limits).find();
}

bool fails_at_once(const Failure& failure, const OpenSession& open, double deadline_seconds) {
  auto session = open(deadline_seconds);
  if (!session) { return true; }
  return run_check(*failure.check, **session, failure.spec).kind == failure.verdict.kind;
}

}  // namespace assay
