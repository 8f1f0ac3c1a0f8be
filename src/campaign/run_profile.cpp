#include "src/campaign/run_profile.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "properties/generators/fit.h"
#include "properties/support/run_check.h"
#include "src/campaign/case_queue.h"
#include "src/campaign/code_ledger.h"
#include "src/core/parallel.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr std::chrono::microseconds kProgressInterval = std::chrono::milliseconds(100);
constexpr std::chrono::microseconds kServingInterval{200};
// A call of a kernel whose cases end in milliseconds has not to be waited for as long as the first
// one, which may compile: it gets this many times the slowest case so far, and never less than
// kLeastPatience, nor than a slow loop takes over its products.
constexpr double kPatience = 20, kLeastPatience = 5, kProductsPerSecond = 2e7;

// Everything that the driver threads share.
struct Campaign {
  const Plan& plan;
  const RunProfileOptions& options;
  const Manifest& manifest;
  const std::string& kernel;
  std::mutex mutex{};
  Status observed{};                              // the first refusal of the observer
  std::map<Index, std::vector<Index>> earlier{};  // of a failed job: its worker's jobs before it
  double slowest = 0;                             // seconds of a case that ended
  CodeLedger code{kernel, [this](const CodeList& list) { return tell(list); }};

  void observe(CaseQueue& battery, Index job, const CaseSpec& spec, const JobResult& result,
               const Verdict& verdict) {
    if (!options.observer) { return; }
    const std::scoped_lock lock(mutex);
    if (!observed) { return; }
    observed = options.observer->judged(job, spec, result, verdict);
    if (!observed) { battery.cut(observed.error().message); }
  }
  double patience(double products) {
    const std::scoped_lock lock(mutex);
    if (slowest == 0) { return options.deadline_seconds; }
    return std::min(options.deadline_seconds,
                    std::max({kLeastPatience, kPatience * slowest, products / kProductsPerSecond}));
  }
  void ended(double seconds) {
    const std::scoped_lock lock(mutex);
    slowest = std::max(slowest, seconds);
  }
  Status tell(const CodeList& list) {
    const std::scoped_lock lock(mutex);
    return options.observer ? options.observer->loaded(list) : Status{};
  }
  // An error about the code of the run ends it.
  void settle(CaseQueue& battery, const Status& status) {
    if (status) { return; }
    battery.cut(status.error().message);
    const std::scoped_lock lock(mutex);
    if (observed) { observed = status; }
  }
};

// A session, and what its worker has run since it was started.
struct Driver {
  std::unique_ptr<Session> session;
  std::vector<Index> earlier{};
  int number = 0;  // of the worker
};

JobResult run_driven(Campaign& campaign, Driver& driver, Index job, const CaseSpec& spec,
                     Verdict& verdict) {
  driver.session->set_deadline(campaign.patience(static_cast<double>(multiply_adds(spec))));
  const JobResult result =
      run_job(campaign.plan, campaign.manifest, *driver.session, job, spec, verdict);
  if (!has_aspect(verdict.failed, Aspect::kHang)) { campaign.ended(result.seconds); }
  if (is_finding(result.kind)) {
    const std::scoped_lock lock(campaign.mutex);
    campaign.earlier[job] = driver.earlier;
  }
  driver.earlier.push_back(job);
  const bool ended = has_aspect(verdict.failed, Aspect::kCrash) ||
                     has_aspect(verdict.failed, Aspect::kOutOfBounds) ||
                     has_aspect(verdict.failed, Aspect::kHang);
  const bool restarted =
      ended || result.kind == VerdictKind::kCrashed || result.kind == VerdictKind::kHung;
  if (restarted) { driver.earlier.clear(); }
  return result;
}

// Before the case is recorded: its record rests on the code that it has loaded.
void name_code(Campaign& campaign, CaseQueue& battery, Driver& driver) {
  if (driver.session->loaded_more()) {
    campaign.settle(battery, campaign.code.ask(*driver.session));
  }
}

// Not of a pass that hangs.
std::optional<Index> next_case(Campaign& campaign, CaseQueue& battery, int worker) {
  while (const auto job = battery.next(worker)) {
    if (!battery.any_hung()) { return job; }
    if (!battery.leaves_out(*job, campaign.plan.draw(*job, campaign.manifest).pass)) { return job; }
  }
  return std::nullopt;
}

// What the harness runs short of beside a case, where run_check sees to it, ends the run.
void drive(Campaign& campaign, CaseQueue& battery, Driver& driver) {
  try {
    while (const auto job = next_case(campaign, battery, driver.number)) {
      Verdict verdict;
      const CaseSpec spec = campaign.plan.draw(*job, campaign.manifest);
      const JobResult result = run_driven(campaign, driver, *job, spec, verdict);
      name_code(campaign, battery, driver);
      if (battery.record(*job, result, verdict)) {
        campaign.observe(battery, *job, spec, result, verdict);
      }
    }
  } catch (const std::exception& error) {
    battery.cut(fmt::format("the harness ran short: {}", error.what()));
  }
}

// Whether other processes still ask for cases.
bool serve(Campaign& campaign, CaseQueue& battery) {
  return campaign.options.server->serve(
      {.next = [&] { return next_case(campaign, battery, 0); },
       .done =
           [&](const DoneElsewhere& done) {
             const CaseSpec spec = campaign.plan.draw(done.job, campaign.manifest);
             if (battery.record(done.job, done.result, done.verdict)) {
               campaign.observe(battery, done.job, spec, done.result, done.verdict);
             }
           },
       .loaded =
           [&](const std::string& who, const CodeList& code) {
             campaign.settle(battery, campaign.code.take(who, code));
           }});
}

void drive_all(Campaign& campaign, CaseQueue& battery, std::vector<Driver>& drivers) {
  std::mutex mutex;
  std::condition_variable finished;
  std::size_t running = drivers.size();
  std::vector<std::jthread> threads;
  const auto start = [&](Driver& driver) {
    return start_thread(threads, [&] {
      drive(campaign, battery, driver);
      const std::scoped_lock lock(mutex);
      --running;
      finished.notify_one();
    });
  };
  while (threads.size() < drivers.size() && start(drivers[threads.size()])) {}
  // Where there are no more threads, those that are there do the work, and this one if need be.
  if (threads.empty()) { drive(campaign, battery, drivers.front()); }
  {
    const std::scoped_lock lock(mutex);
    running -= drivers.size() - threads.size();
  }
  const auto interval = campaign.options.server ? kServingInterval : kProgressInterval;
  auto told = std::chrono::steady_clock::now();
  bool served = campaign.options.server == nullptr, ended = false;
  while (!served || !ended) {
    if (!served) { served = !serve(campaign, battery); }
    std::unique_lock lock(mutex);
    ended = finished.wait_for(lock, interval, [&] { return running == 0; });
    lock.unlock();
    const auto now = std::chrono::steady_clock::now();
    if (!campaign.options.progress || now - told < kProgressInterval) { continue; }
    told = now;
    Progress progress = battery.progress();
    progress.check = campaign.plan.lines[battery.line_of_latest()].check;
    campaign.options.progress(progress);
  }
}

// What other processes may have done to a case: a deadline missed while they ran, a worker killed
// with SIGKILL, as the system does where memory is out. It runs once more alone before it counts; a
// pass of which one case hung again has shown that it does.
bool needs_another_run(const CaseQueue& battery, const JobResult& result) {
  const auto shown = [&](const JobResult& other) {
    return other.alone && other.kind == VerdictKind::kHung && other.facts.pass == result.facts.pass;
  };
  if (result.alone) { return false; }
  return result.killed ||
         (result.kind == VerdictKind::kHung && std::ranges::none_of(battery.results(), shown));
}

void run_again_alone(Campaign& campaign, CaseQueue& battery, Driver& driver) {
  const RunProfileOptions& options = campaign.options;
  for (Index job = 0; job < static_cast<Index>(battery.jobs().size()); ++job) {
    const JobResult& before = battery.results()[job];
    if (!needs_another_run(battery, before)) { continue; }
    if (options.stop && options.stop->load()) { return battery.cut("interrupted"); }
    Verdict verdict;
    const CaseSpec spec = campaign.plan.draw(job, campaign.manifest);
    JobResult result = run_driven(campaign, driver, job, spec, verdict);
    name_code(campaign, battery, driver);
    result.alone = true;
    if (result.killed) { verdict.reason += ", also where the case ran alone"; }
    if (!battery.replace(job, result, verdict)) { return; }
    campaign.observe(battery, job, spec, result, verdict);
    // One finding is what was asked for, and this one has been met twice.
    if (options.stop_at_first_finding && is_finding(result.kind)) { return; }
  }
}

// What a case means depends on the manifest: every worker has to hold the kernel to the same.
Status require_same_manifest(const Session& first, const Session& other) {
  const std::string& a = first.manifest().declared;
  const std::string& b = other.manifest().declared;
  if (a == b) { return {}; }
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return make_error(
      fmt::format("kernel {} declares another manifest on each load, {} and then {} at the same "
                  "place: it has to be one",
                  quote(first.kernel_spec()), quote(std::string(differ.first, a.end())),
                  quote(std::string(differ.second, b.end()))));
}

Result<std::vector<Driver>> open_drivers(const OpenSession& open,
                                         const RunProfileOptions& options) {
  // The first shows whether the kernel opens at all; the others start side by side, since a device
  // takes its time over each.
  std::vector<Result<std::unique_ptr<Session>>> opened;
  opened.push_back(open(options.deadline_seconds));
  if (!opened[0]) { return tl::unexpected(opened[0].error()); }
  const int count = options.threads > 0
                        ? options.threads
                        : workers_for((*opened[0])->manifest(), available_threads());
  opened.resize(static_cast<std::size_t>(count));
  parallel_for(count - 1, count - 1, [&](int, Index i) {
    opened[static_cast<std::size_t>(i) + 1] = open(options.deadline_seconds);
  });
  std::vector<Driver> drivers;
  for (auto& session : opened) {
    // Fewer do as well where the machine has not got what the next one needs.
    if (!session && session.error().shortage) { continue; }
    ASSAY_TRY(session);
    if (!drivers.empty()) { ASSAY_TRY(require_same_manifest(*drivers.front().session, **session)); }
    drivers.push_back({.session = std::move(*session), .number = static_cast<int>(drivers.size())});
  }
  return drivers;
}

// Each worker compiles few of the shapes that a kernel is compiled for.
void share_out_shapes(const Plan& plan, const Manifest& manifest, int workers, CaseQueue& battery) {
  if (!manifest.compiled_for.any() || workers < 2) { return; }
  std::map<std::vector<Index>, std::uint64_t> numbers;
  std::vector<std::uint64_t> shape_of_job;
  for (Index job = 0; job < static_cast<Index>(plan.jobs.size()); ++job) {
    const auto shape = compiled_shape(plan.draw(job, manifest), manifest);
    shape_of_job.push_back(numbers.try_emplace(shape, numbers.size()).first->second);
  }
  battery.prefer_shapes(std::move(shape_of_job), workers);
}

Result<CodeList> close_code(Campaign& campaign, const std::vector<Driver>& drivers) {
  std::vector<Session*> sessions;
  for (const Driver& driver : drivers) { sessions.push_back(driver.session.get()); }
  return campaign.code.close(sessions);
}

void collect(const Campaign& campaign, const CaseQueue& battery, const RunProfileOptions& options,
             ProfileRun& run) {
  const Plan& plan = campaign.plan;
  for (std::size_t row = 0; row < plan.checks.size(); ++row) {
    const CheckTally& tally = run.tally.checks[row];
    const auto line_of = [&](Index job) {
      return job < 0 ? std::string() : canonical_text(plan.draw(job, run.manifest));
    };
    run.worst_cases.push_back(line_of(tally.worst_job));
    run.worst_measured_cases.push_back(line_of(tally.measured.worst_job));
    Index found = 0;
    for (const Index job : plan.checks[row].jobs) {
      const Verdict* verdict = battery.verdict_of(job);
      if (!verdict || found == options.max_findings_per_check) { continue; }
      if (battery.last_job() >= 0 && job > battery.last_job()) { continue; }
      ++found;
      run.failures.push_back({plan.checks[row].check, job, plan.draw(job, run.manifest), *verdict});
      const auto earlier = campaign.earlier.find(job);
      if (earlier == campaign.earlier.end()) { continue; }
      for (const Index each : earlier->second) {
        run.failures.back().before.push_back({&plan.check(each), plan.draw(each, run.manifest)});
      }
    }
  }
  run.seconds = battery.seconds();
  std::sort(run.failures.begin(), run.failures.end(),
            [](const Failure& a, const Failure& b) { return a.job < b.job; });
}

}  // namespace

int workers_for(const Manifest& manifest, int cores) {
  constexpr int kMostOnADevice = 16;
  return manifest.device == "cpu" ? cores : std::min(cores, kMostOnADevice);
}

JobResult run_job(const Plan& plan, const Manifest& manifest, Session& session, Index job,
                  const CaseSpec& spec, Verdict& verdict) {
  const auto start = std::chrono::steady_clock::now();
  // What a manifest asks of its operands may leave no room for what a generator draws.
  if (const Status possible = check_case(spec); !possible) {
    verdict = {.kind = VerdictKind::kNotRun, .reason = possible.error().message};
  } else {
    verdict = run_check(plan.check(job), session, spec);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  JobResult result{.ran = true,
                   .kind = verdict.kind,
                   .worst_ratio = verdict.worst_ratio,
                   .runs = verdict.runs,
                   .seconds = taken.count(),
                   .killed = verdict.killed && verdict.kind == VerdictKind::kCrashed,
                   .measured = verdict.measured,
                   .facts = facts_of(spec)};
  if (!is_judged(verdict.kind) || verdict.measured) { result.reason = verdict.reason; }
  result.facts.many_tiles = has_many_tiles(spec, manifest);
  return result;
}

namespace {

BatteryLimits limits_of(const RunProfileOptions& options) {
  return {.max_findings_per_check = options.max_findings_per_check,
          .max_hung = options.max_hung,
          .budget_seconds = options.budget_seconds,
          .stop_at_first_finding = options.stop_at_first_finding,
          .keep_going = options.keep_going,
          .stop = options.stop};
}

}  // namespace

Result<ProfileRun> run_profile(const Profile& profile, const Registry& names,
                               const OpenSession& open, const RunProfileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  auto drivers = open_drivers(open, options);
  ASSAY_TRY(drivers);
  const std::chrono::duration<double> opened = std::chrono::steady_clock::now() - start;
  const Session& first = *drivers->front().session;
  const Manifest& manifest = first.manifest();
  const auto plan = make_plan(
      profile, names, manifest,
      {.seed_shift = options.seed_shift, .filter = options.filter, .shard = options.shard});
  ASSAY_TRY(plan);
  ProfileRun run{.manifest = manifest,
                 .device = first.device(),
                 .shard = options.shard,
                 .start_seconds = opened.count(),
                 .threads = static_cast<int>(drivers->size()),
                 .whole_profile = plan->whole_profile};
  CaseQueue battery(plan->jobs, plan->row_of_line, limits_of(options), options.shard);
  share_out_shapes(*plan, manifest, static_cast<int>(drivers->size()), battery);
  if (options.observer) {
    auto known = options.observer->begin(manifest, run.device, *plan);
    ASSAY_TRY(known);
    for (KnownCase& known_case : *known) {
      battery.know(known_case.job, std::move(known_case.result), known_case.verdict);
    }
  }
  Campaign campaign{
      .plan = *plan, .options = options, .manifest = run.manifest, .kernel = first.kernel_spec()};
  for (Driver& driver : *drivers) { ASSAY_TRY(campaign.code.ask(*driver.session)); }
  do {
    drive_all(campaign, battery, *drivers);
    run_again_alone(campaign, battery, drivers->front());
  } while (battery.reopened());
  ASSAY_TRY(campaign.observed);
  auto code = close_code(campaign, *drivers);
  ASSAY_TRY(code);
  run.code = std::move(*code);
  run.cut_short = battery.cut_short();
  run.tally = tally(plan->checks, battery.results(),
                    {.max_findings_per_check = options.max_findings_per_check,
                     .keep_going = options.keep_going,
                     .last_job = battery.last_job(),
                     .cut_short = run.cut_short,
                     .whole_profile = run.whole_profile,
                     .declared_passes = run.manifest.passes,
                     .part_of_run = part_of_run(options.shard),
                     .waivers = waivers_of(options.waivers, run.manifest.name),
                     .today = options.today});
  collect(campaign, battery, options, run);
  run.patience_seconds = campaign.patience(0);
  for (Driver& driver : *drivers) { run.sessions.push_back(std::move(driver.session)); }
  return run;
}

}  // namespace assay
