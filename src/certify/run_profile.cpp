#include "src/certify/run_profile.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <regex>
#include <thread>

#include <fmt/format.h>

#include "src/certify/battery.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr auto kProgressInterval = std::chrono::milliseconds(100);

Result<std::regex> compile(const std::string& filter) {
  try {
    return std::regex(filter);
  } catch (const std::regex_error& error) {
    return refuse(fmt::format("--filter '{}' is no regular expression: {}", filter, error.what()));
  }
}

Result<std::vector<BatteryLine>> filtered(const Profile& profile, const std::string& filter) {
  if (filter.empty()) return profile.lines;
  const auto pattern = compile(filter);
  if (!pattern) return tl::unexpected(pattern.error());
  std::vector<BatteryLine> lines;
  for (const BatteryLine& line : profile.lines)
    if (std::regex_search(line.check, *pattern)) lines.push_back(line);
  if (!lines.empty()) return lines;
  std::vector<std::string> allowed;
  for (const BatteryLine& line : profile.lines)
    if (allowed.empty() || allowed.back() != line.check) allowed.push_back(line.check);
  return refuse(fmt::format("--filter '{}' matches no check of profile {}; its checks: {}", filter,
                            profile.name, fmt::join(allowed, ", ")));
}

// Everything that the driver threads share.
struct Campaign {
  const BatteryNames& names;
  const RunProfileOptions& options;
  const Manifest& manifest;
  std::vector<BatteryLine> lines{};   // applicable ones
  std::vector<const Check*> check{};  // of each line
  std::vector<const Generator*> generator{};

  CaseSpec draw(const Job& job) const {
    const auto line = static_cast<std::size_t>(job.line);
    return nth_case(*generator[line], *check[line], manifest,
                    case_seed(lines[line], options.seed_shift), job.index);
  }
};

JobResult run_job(const Campaign& campaign, Session& session, const Job& job, Verdict& verdict) {
  const CaseSpec spec = campaign.draw(job);
  const auto start = std::chrono::steady_clock::now();
  verdict = campaign.check[static_cast<std::size_t>(job.line)]->run(session, spec);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  JobResult result{.ran = true,
                   .kind = verdict.kind,
                   .worst_ratio = verdict.worst_ratio,
                   .runs = verdict.runs,
                   .seconds = taken.count(),
                   .facts = facts_of(spec)};
  if (!is_judged(verdict.kind)) result.reason = verdict.reason;
  result.facts.many_tiles = has_many_tiles(spec, campaign.manifest);
  return result;
}

void drive(const Campaign& campaign, Battery& battery, Session& session) {
  while (const auto job = battery.next()) {
    Verdict verdict;
    JobResult result =
        run_job(campaign, session, battery.jobs()[static_cast<std::size_t>(*job)], verdict);
    battery.record(*job, std::move(result), verdict);
  }
}

void drive_all(const Campaign& campaign, Battery& battery,
               std::vector<std::unique_ptr<Session>>& sessions) {
  std::mutex mutex;
  std::condition_variable finished;
  std::size_t running = sessions.size();
  std::vector<std::jthread> threads;
  for (auto& session : sessions)
    threads.emplace_back([&, kernel = session.get()] {
      drive(campaign, battery, *kernel);
      const std::scoped_lock lock(mutex);
      --running;
      finished.notify_one();
    });
  std::unique_lock lock(mutex);
  while (!finished.wait_for(lock, kProgressInterval, [&] { return running == 0; })) {
    if (!campaign.options.progress) continue;
    Progress progress = battery.progress();
    progress.check = campaign.lines[static_cast<std::size_t>(battery.line_of_latest())].check;
    campaign.options.progress(progress);
  }
}

// A case that missed its deadline while others ran gets it once more alone, before it is called
// Hung.
void run_hung_again(const Campaign& campaign, Battery& battery, Session& session) {
  for (std::size_t job = 0; job < battery.jobs().size(); ++job) {
    if (battery.results()[job].kind != VerdictKind::kHung) continue;
    Verdict verdict;
    JobResult result = run_job(campaign, session, battery.jobs()[job], verdict);
    battery.replace(static_cast<Index>(job), std::move(result), verdict);
  }
}

// The checks in the profile's order, with what excludes them.
std::vector<CheckJobs> checks_of(const std::vector<BatteryLine>& lines, const BatteryNames& names,
                                 const Manifest& manifest) {
  std::vector<CheckJobs> checks;
  for (const BatteryLine& line : lines) {
    const Check* check = names.check(line.check);
    const auto same = [&](const CheckJobs& row) { return row.check == check; };
    if (std::any_of(checks.begin(), checks.end(), same)) continue;
    checks.push_back({.check = check});
    if (check->not_applicable) checks.back().not_applicable = check->not_applicable(manifest);
  }
  return checks;
}

Result<std::vector<std::unique_ptr<Session>>> open_sessions(const OpenSession& open,
                                                            const RunProfileOptions& options) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int count = options.threads > 0 ? options.threads : cores;
  std::vector<std::unique_ptr<Session>> sessions;
  for (int thread = 0; thread < count; ++thread) {
    auto session = open(options.deadline_seconds);
    if (!session) return tl::unexpected(session.error());
    sessions.push_back(std::move(*session));
  }
  return sessions;
}

void collect(const Campaign& campaign, const Battery& battery, const std::vector<CheckJobs>& checks,
             ProfileRun& run) {
  for (std::size_t row = 0; row < checks.size(); ++row) {
    const CheckTally& tally = run.tally.checks[row];
    run.worst_cases.push_back(
        tally.worst_job < 0 ? ""
                            : canonical_text(campaign.draw(
                                  battery.jobs()[static_cast<std::size_t>(tally.worst_job)])));
    Index found = 0;
    for (const Index job : checks[row].jobs) {
      const Verdict* verdict = battery.verdict_of(job);
      if (!verdict || found == campaign.options.max_findings_per_check) continue;
      if (battery.last_job() >= 0 && job > battery.last_job()) continue;
      ++found;
      const Job& failed = battery.jobs()[static_cast<std::size_t>(job)];
      run.failures.push_back({checks[row].check, job, campaign.draw(failed), *verdict});
    }
  }
  std::sort(run.failures.begin(), run.failures.end(),
            [](const Failure& a, const Failure& b) { return a.job < b.job; });
}

}  // namespace

Result<ProfileRun> run_profile(const Profile& profile, const BatteryNames& names,
                               const OpenSession& open, const RunProfileOptions& options) {
  const auto lines = filtered(profile, options.filter);
  if (!lines) return tl::unexpected(lines.error());
  auto sessions = open_sessions(open, options);
  if (!sessions) return tl::unexpected(sessions.error());
  ProfileRun run{.manifest = sessions->front()->manifest(),
                 .threads = static_cast<int>(sessions->size()),
                 .whole_profile = options.filter.empty() && options.seed_shift == 0};
  if (profile.device != "any" && profile.device != run.manifest.device)
    return refuse(fmt::format("profile '{}' is for {} kernels, '{}' is one for {}", profile.name,
                              profile.device, run.manifest.name, run.manifest.device));

  std::vector<CheckJobs> checks = checks_of(*lines, names, run.manifest);
  Campaign campaign{.names = names, .options = options, .manifest = run.manifest};
  std::vector<int> check_of;
  for (const BatteryLine& line : *lines) {
    const Check* check = names.check(line.check);
    const auto row = std::find_if(checks.begin(), checks.end(),
                                  [&](const CheckJobs& other) { return other.check == check; });
    if (row->not_applicable) continue;
    campaign.lines.push_back(line);
    campaign.check.push_back(check);
    campaign.generator.push_back(names.generator(line.generator));
    check_of.push_back(static_cast<int>(row - checks.begin()));
  }
  Battery battery(interleave(campaign.lines), check_of,
                  {.max_findings_per_check = options.max_findings_per_check,
                   .max_hung = options.max_hung,
                   .budget_seconds = options.budget_seconds,
                   .stop_at_first_finding = options.stop_at_first_finding,
                   .stop = options.stop});
  for (std::size_t job = 0; job < battery.jobs().size(); ++job)
    checks[static_cast<std::size_t>(check_of[static_cast<std::size_t>(battery.jobs()[job].line)])]
        .jobs.push_back(static_cast<Index>(job));

  drive_all(campaign, battery, *sessions);
  run_hung_again(campaign, battery, *sessions->front());
  run.tally = tally(checks, battery.results(),
                    {.max_findings_per_check = options.max_findings_per_check,
                     .last_job = battery.last_job(),
                     .cut_short = battery.cut_short(),
                     .whole_profile = run.whole_profile,
                     .declared_passes = run.manifest.passes});
  collect(campaign, battery, checks, run);
  run.seconds = battery.seconds();
  return run;
}

}  // namespace assay
