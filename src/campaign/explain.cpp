#include "src/campaign/explain.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "properties/generators/fit.h"
#include "properties/support/case_run.h"
#include "properties/support/run_check.h"
#include "src/campaign/sequence.h"
#include "src/core/counted.h"
#include "src/core/text.h"
#include "src/diagnosis/known_cause.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Larger outputs are judged tile by tile too slowly.
constexpr Index kMaxProductsOfMap = Index{1} << 25;
// Experts of a map, and tiles in all, so that a report stays small.
constexpr std::size_t kMaxExpertsOfMap = 12, kMaxTilesOfMap = 2048;
// Runs that all have to fail before a failure is taken for a steady one.
constexpr Index kRepeats = 3;

// A hang seen under the short deadline of shrinking counts only if the full one sees it too.
bool confirmed(Session& session, const CertifyOptions& options, const Failure& subject,
               const CaseSpec& spec) {
  session.set_deadline(options.hung_deadline_seconds > 0 ? options.hung_deadline_seconds
                                                         : options.run.deadline_seconds);
  return run_check(*subject.check, session, spec).kind == VerdictKind::kHung;
}

// A new shape of a kernel that is compiled for shapes costs a compilation: those come last.
Shrunk shrink_in_steps(const CaseSpec& spec, const Manifest& manifest, const StillFails& fails,
                       const ShrinkLimits& limits) {
  if (!manifest.compiled_for.any()) { return shrink_case(spec, fails, limits); }
  const auto compiled = compiled_shape(spec, manifest);
  const auto is_compiled = [&](const CaseSpec& other) {
    return compiled_shape(other, manifest) == compiled && fails(other);
  };
  const Shrunk first = shrink_case(spec, is_compiled, limits);
  if (limits.out_of_time()) { return first; }
  Shrunk second = shrink_case(first.spec, fails, limits);
  second.tries += first.tries;
  second.moves += first.moves;
  return second;
}

void shrink_finding(Finding& finding, const Failure& subject, Session& session,
                    const CertifyOptions& options) {
  SameFailure same(session, *subject.check, subject.verdict);
  // A kernel that does not refuse what its manifest excludes is wrong there for another reason.
  const bool declared = !exclusion(session.manifest(), subject.spec);
  const auto fails = [&](const CaseSpec& spec) {
    return !(declared && exclusion(session.manifest(), spec)) && same(spec);
  };
  const Shrunk shrunk = shrink_in_steps(subject.spec, session.manifest(), fails, options.shrink);
  finding.shrink_tries = shrunk.tries;
  if (shrunk.moves == 0) { return; }
  if (subject.verdict.kind == VerdictKind::kHung &&
      (options.shrink.out_of_time() || !confirmed(session, options, subject, shrunk.spec))) {
    return;
  }
  finding.shrunk = shrunk.spec;
  finding.verdict = same.verdict();
}

// Experts with a wrong element, and those beside them.
TileMap worth_showing(TileMap map) {
  std::vector<ExpertTiles> kept;
  std::size_t tiles = 0;
  const auto wrong = [&](std::size_t expert) {
    return expert < map.experts.size() && map.experts[expert].any_wrong();
  };
  for (std::size_t i = 0; i < map.experts.size() && kept.size() < kMaxExpertsOfMap; ++i) {
    if (!wrong(i) && !wrong(i + 1) && !(i > 0 && wrong(i - 1))) { continue; }
    tiles += map.experts[i].tiles.size();
    if (tiles > kMaxTilesOfMap) { break; }
    kept.push_back(map.experts[i]);
  }
  map.experts = std::move(kept);
  return map;
}

// Of one more plain run; nothing where that run is right, as of a race.
std::optional<TileMap> map_of(Session& session, const CaseSpec& spec) {
  if (multiply_adds(spec) > kMaxProductsOfMap) { return std::nullopt; }
  const Problem problem = problem_for(spec, session.manifest());
  const Outcome outcome = session.run(problem, {.placement = Placement::kLow});
  if (outcome.status != RunStatus::kOk) { return std::nullopt; }
  TileMap map = worth_showing(make_tile_map(problem, session.manifest(), outcome.output));
  const bool any = std::any_of(map.experts.begin(), map.experts.end(),
                               [](const ExpertTiles& expert) { return expert.any_wrong(); });
  return any ? std::optional(std::move(map)) : std::nullopt;
}

// The case that came out wrong, where the check judges others than its own and that one fails by
// itself, too: it is what one wants to read, shrink and run again.
Failure subject_of(Session& session, const Failure& failure) {
  Failure subject = failure;
  if (!failure.verdict.inner || !check_case(*failure.verdict.inner)) { return subject; }
  const Check& plain = plain_check(*failure.verdict.inner);
  Verdict verdict = run_check(plain, session, *failure.verdict.inner);
  if (!is_finding(verdict.kind)) { return subject; }
  subject.check = &plain;
  subject.spec = *failure.verdict.inner;
  subject.verdict = std::move(verdict);
  subject.before.clear();  // of the check's own case
  return subject;
}

// "" where there is none.
std::string temporary_folder() {
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored).string();
}

// What brings a finding back that a single run does not show.
void tell_sequence(Finding& finding, const std::string& kernel, const Failure& subject,
                   const Sequence& sequence, const std::string& folder) {
  finding.shrunk = sequence.spec;
  finding.verdict = sequence.verdict;
  Index runs = 0;
  for (const SequenceStep& step : sequence.before) {
    runs += step.times;
    finding.before.push_back(step_text(step));
  }
  finding.replay = replay_command(kernel, sequence.spec, subject.check->name) +
                   before_options(finding.before, folder.empty() ? temporary_folder() : folder);
  finding.diagnosis = {.hypothesis = "earlier_calls", .share = 1};
  finding.diagnosis.sentence = fmt::format(
      "right in a fresh process, wrong after {} in the same one", counted(runs, "earlier case"));
}

void tell_sporadic(Finding& finding, const std::string& kernel, const Failure& subject,
                   const BroughtBack& back) {
  // The run that met it was one more.
  const std::string count = fmt::format("{} of {} runs", back.failed + 1, back.runs + 1);
  finding.shrunk = subject.spec;
  finding.verdict = subject.verdict;
  finding.replay = fmt::format("{}  # may pass: {} failed",
                               replay_command(kernel, subject.spec, subject.check->name), count);
  finding.diagnosis = {.hypothesis = "sporadic", .share = 1};
  finding.diagnosis.sentence = fmt::format(
      "sporadic, wrong in {} of the same case: a race, or memory that is read before it is written",
      count);
}

// False: the failure comes back at once, or the time did not suffice.
bool tell_what_brings_it_back(Finding& finding, const std::string& kernel, const Failure& subject,
                              const OpenSession& open, const CertifyOptions& options) {
  const BroughtBack back = bring_back(subject, open, options.run.deadline_seconds, options.shrink);
  if (back.sequence) {
    tell_sequence(finding, kernel, subject, *back.sequence, options.sequences_folder);
  } else if (back.sporadic) {
    tell_sporadic(finding, kernel, subject, back);
  }
  return back.sequence || back.sporadic;
}

bool fails_steadily(Session& session, const Failure& subject) {
  for (Index run = 0; run < kRepeats; ++run) {
    if (run_check(*subject.check, session, subject.spec).kind != subject.verdict.kind) {
      return false;
    }
  }
  return true;
}

void shrink_and_diagnose(Finding& finding, const std::string& kernel, const Failure& subject,
                         Session& session, const CertifyOptions& options) {
  const auto late = [&] { return options.shrink.out_of_time(); };
  const bool hung = subject.verdict.kind == VerdictKind::kHung;
  finding.shrunk = subject.spec;
  finding.verdict = subject.verdict;
  shrink_finding(finding, subject, session, options);
  finding.replay = replay_command(kernel, finding.shrunk, subject.check->name);
  if (!hung) {
    finding.diagnosis = late() ? recognise(session, subject.spec).value_or(Diagnosis{})
                               : diagnose(session, {finding.shrunk, subject.spec});
  }
  // Of a crash the signal and the address say more than a kernel that was right elsewhere.
  const bool crashed = subject.verdict.kind == VerdictKind::kCrashed;
  if (crashed && finding.diagnosis.hypothesis.empty()) { finding.diagnosis = {}; }
}

}  // namespace

Finding as_met(const std::string& kernel, const Failure& failure) {
  return {.check = failure.check,
          .checks = {failure.check},
          .original = failure.spec,
          .shrunk = failure.spec,
          .verdict = failure.verdict,
          .replay = replay_command(kernel, failure.spec, failure.check->name)};
}

std::string own_command() {
  const char* command = std::getenv("ASSAY_COMMAND");
  return command != nullptr ? command : "assay";
}

std::string replay_command(const std::string& kernel, const CaseSpec& spec,
                           std::string_view check) {
  return fmt::format("{} run '{}' --kernel {} --check {}", own_command(), short_text(spec),
                     shell_word(kernel), check);
}

Finding explain_in(Session& session, const std::string& kernel, const Failure& failure,
                   const OpenSession& open, const CertifyOptions& options) {
  Finding finding = as_met(kernel, failure);
  if (!failure.check->shrinks && !failure.verdict.inner) { return finding; }
  const auto late = [&] { return options.shrink.out_of_time(); };
  const bool hung = failure.verdict.kind == VerdictKind::kHung;
  session.set_deadline(hung ? options.hung_shrink_deadline_seconds : options.run.deadline_seconds);
  const Failure subject = subject_of(session, failure);
  if (!subject.check->shrinks) { return finding; }
  // The session has made other calls before.
  if (!hung && !fails_steadily(session, subject)) {
    if (tell_what_brings_it_back(finding, kernel, subject, open, options) || late()) {
      return finding;
    }
  }
  shrink_and_diagnose(finding, kernel, subject, session, options);
  if (hung || late()) { return finding; }
  Failure shrunk = subject;
  shrunk.spec = finding.shrunk;
  if (!fails_at_once(shrunk, open, options.run.deadline_seconds) && !late() &&
      tell_what_brings_it_back(finding, kernel, subject, open, options)) {
    return finding;
  }
  if (failure.verdict.kind == VerdictKind::kFailed && !late()) {
    finding.tiles = map_of(session, subject.spec);
  }
  return finding;
}

Finding explain(const std::string& kernel, const Failure& failure, const OpenSession& open,
                const CertifyOptions& options) {
  auto session = open(options.run.deadline_seconds);
  return session ? explain_in(**session, kernel, failure, open, options) : as_met(kernel, failure);
}

}  // namespace assay
