#include "src/campaign/certify.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "properties/support/run_check.h"
#include "src/campaign/join_findings.h"
#include "src/campaign/sequence.h"
#include "src/core/parallel.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Larger outputs are judged tile by tile too slowly.
constexpr Index kMaxProductsOfMap = Index{1} << 25;
// Experts of a map, and tiles in all, so that a report stays small.
constexpr std::size_t kMaxExpertsOfMap = 12, kMaxTilesOfMap = 2048;

// A hang seen under the short deadline of shrinking counts only if the full one sees it too.
bool confirmed(const OpenSession& open, const CertifyOptions& options, const Check& check,
               const CaseSpec& spec) {
  auto session = open(options.run.deadline_seconds);
  return session && run_check(check, **session, spec).kind == VerdictKind::kHung;
}

void shrink_finding(Finding& finding, Session& session, const OpenSession& open,
                    const CertifyOptions& options) {
  SameFailure same(session, *finding.check, finding.verdict);
  // A kernel that does not refuse what its manifest excludes is wrong there for another reason.
  const bool declared = !exclusion(session.manifest(), finding.original);
  const Shrunk shrunk = shrink_case(
      finding.original,
      [&](const CaseSpec& spec) {
        return !(declared && exclusion(session.manifest(), spec)) && same(spec);
      },
      options.shrink);
  finding.shrink_tries = shrunk.tries;
  if (shrunk.moves == 0) { return; }
  if (finding.verdict.kind == VerdictKind::kHung && options.shrink.out_of_time()) { return; }
  if (finding.verdict.kind == VerdictKind::kHung &&
      !confirmed(open, options, *finding.check, shrunk.spec)) {
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

// "" where there is none.
static std::string temporary_folder() {
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored).string();
}

// What brings a finding back that a single run does not show.
static Finding of_sequence(const std::string& kernel, Finding finding, const Sequence& sequence,
                           const std::string& folder) {
  finding.shrunk = sequence.spec;
  finding.verdict = sequence.verdict;
  Index runs = 0;
  for (const SequenceStep& step : sequence.before) {
    runs += step.times;
    finding.before.push_back(step_text(step));
  }
  finding.replay = replay_command(kernel, sequence.spec, finding.check->name) +
                   before_options(finding.before, folder.empty() ? temporary_folder() : folder);
  finding.diagnosis.hypothesis = "earlier_calls";
  finding.diagnosis.sentence =
      fmt::format("right in a fresh process, wrong after {} earlier {} in the same one", runs,
                  runs == 1 ? "case" : "cases");
  finding.diagnosis.share = 1;
  return finding;
}

Finding explain(const std::string& kernel, const Failure& failure, const OpenSession& open,
                const CertifyOptions& options) {
  Finding finding = as_met(kernel, failure);
  if (!failure.check->shrinks) { return finding; }
  const bool hung = failure.verdict.kind == VerdictKind::kHung;
  if (!hung) {
    const auto sequence =
        find_sequence(failure, open, options.run.deadline_seconds, options.shrink);
    if (sequence) { return of_sequence(kernel, finding, *sequence, options.sequences_folder); }
  }
  const auto late = [&] { return options.shrink.out_of_time(); };
  if (late()) { return finding; }
  auto session = open(hung ? options.hung_shrink_deadline_seconds : options.run.deadline_seconds);
  if (!session) { return finding; }
  shrink_finding(finding, **session, open, options);
  finding.replay = replay_command(kernel, finding.shrunk, finding.check->name);
  if (!hung && !late()) {
    finding.diagnosis = diagnose(**session, {finding.shrunk, finding.original});
  }
  // Of a crash the signal and the address say more than a kernel that was right elsewhere.
  const bool crashed = failure.verdict.kind == VerdictKind::kCrashed;
  if (crashed && finding.diagnosis.hypothesis.empty()) { finding.diagnosis = {}; }
  if (failure.verdict.kind == VerdictKind::kFailed && !late()) {
    finding.tiles = map_of(**session, finding.original);
  }
  return finding;
}

namespace {

ShrinkLimits::Clock::time_point seconds_from_now(double seconds) {
  using Clock = ShrinkLimits::Clock;
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// A finding stays one where the memory to explain it is missing.
Finding explained_or_met(const std::string& kernel, const Failure& failure, const OpenSession& open,
                         const CertifyOptions& options) {
  try {
    return explain(kernel, failure, open, options);
  } catch (const std::bad_alloc&) { return as_met(kernel, failure); }
}

// Explains the failures, several at once; an error is the observer's.
Status explain_all(const std::string& kernel, const OpenSession& open,
                   const CertifyOptions& options, Certification& result) {
  const std::vector<Failure>& failures = result.run.failures;
  result.findings.resize(failures.size());
  CertifyOptions within = options;
  if (options.explain_seconds > 0) {
    within.shrink.end = seconds_from_now(options.explain_seconds);
  }
  const auto interrupted = [&] {
    return within.shrink.out_of_time() || (options.run.stop && options.run.stop->load());
  };
  std::mutex mutex;
  Status observed;
  const auto finish = [&](std::size_t i) {
    const Failure& failure = failures[i];
    const Finding* known =
        options.observer ? options.observer->known_finding(failure.job) : nullptr;
    if (known) {
      result.findings[i] = *known;
      return;
    }
    const bool explained = options.explain && !interrupted();
    result.findings[i] =
        explained ? explained_or_met(kernel, failure, open, within) : as_met(kernel, failure);
    // One that the time did not suffice for at all is explained where the run is resumed.
    const bool untouched = within.shrink.out_of_time() &&
                           result.findings[i].shrunk == failure.spec &&
                           result.findings[i].diagnosis.hypothesis.empty();
    if (!options.observer || !explained || untouched) { return; }
    const std::scoped_lock lock(mutex);
    if (observed) { observed = options.observer->explained(failure.job, result.findings[i]); }
  };
  parallel_for(static_cast<Index>(failures.size()), result.run.threads,
               [&](int, Index i) { finish(static_cast<std::size_t>(i)); });
  return observed;
}

}  // namespace

Result<Certification> certify(const std::string& kernel, const Profile& profile,
                              const Registry& names, const OpenSession& open,
                              const CertifyOptions& options) {
  RunProfileOptions run_options = options.run;
  if (options.observer) { run_options.observer = options.observer; }
  auto run = run_profile(profile, names, open, run_options);
  ASSAY_TRY(run);
  Certification result{.kernel = kernel,
                       .profile = profile.name,
                       .profile_certifies = profile.certifies(run->manifest.device),
                       .run = std::move(*run)};
  ASSAY_TRY(explain_all(kernel, open, options, result));
  result.findings = join_findings(std::move(result.findings));
  if (options.observer) { ASSAY_TRY(options.observer->ended(result.run)); }
  return result;
}

}  // namespace assay
