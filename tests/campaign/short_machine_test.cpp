// A profile on a machine that runs short: the case is NotRun, the run goes on, and no kernel is
// blamed.
#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/campaign/run_profile.h"
#include "src/probe/probe.h"
#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"
#include "tests/core/no_threads.h"

namespace assay {
namespace {

using testing::draw_small;
using testing::FakeSession;
using ::testing::HasSubstr;
using testing::without_threads;

Verdict takes_nothing(Session&, const CaseSpec&) {
  return {.kind = VerdictKind::kPassed, .runs = 1};
}
Verdict out_of_memory(Session&, const CaseSpec& spec) {
  if (spec.k == 2) { throw std::bad_alloc(); }
  if (spec.k == 3) {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  return {.kind = VerdictKind::kPassed, .runs = 1};
}
Verdict killed() {
  return {.kind = VerdictKind::kCrashed, .reason = "killed by SIGKILL", .runs = 1, .killed = true};
}
// The system takes the first worker that it meets.
std::mutex kill_mutex;
std::set<std::string> killed_cases;
Verdict killed_once(Session&, const CaseSpec& spec) {
  const std::scoped_lock lock(kill_mutex);
  const bool first = killed_cases.insert(canonical_text(spec)).second;
  return first && spec.k == 2 ? killed() : Verdict{.kind = VerdictKind::kPassed, .runs = 1};
}
Verdict kills_itself(Session&, const CaseSpec&) { return killed(); }

const Check kShortChecks[] = {testing::fake_check("passes", takes_nothing),
                              testing::fake_check("out_of_memory", out_of_memory),
                              testing::fake_check("killed_once", killed_once),
                              testing::fake_check("kills_itself", kills_itself)};
const Generator kShortGenerators[] = {testing::fake_generator("small", draw_small)};
const Registry kShortNames{kShortChecks, kShortGenerators};

Profile profile_of(const std::string& check, Index count) {
  Profile profile{.name = "p", .certifies_cpu = true};
  profile.lines.push_back({check, "small", count, 1});
  return profile;
}

// All cases are drawn in forward.
OpenSession open_forward_only(std::uint64_t workspace_bytes = 0) {
  Manifest manifest = testing::every_manifest();
  manifest.passes = {Pass::kFwd};
  manifest.workspace_bytes = workspace_bytes;
  return testing::open_fake({}, manifest);
}

ProfileRun run(const Profile& profile, const OpenSession& open = open_forward_only()) {
  auto run = run_profile(profile, kShortNames, open, {.threads = 2});
  EXPECT_TRUE(run) << run.error().message;
  return std::move(*run);
}

Index count_of(const ProfileRun& run, VerdictKind kind) {
  return run.tally.kinds[static_cast<std::size_t>(kind)];
}

TEST(ShortMachine, ACaseThatThrowsIsNotRunAndTheOthersAre) {
  const ProfileRun result = run(profile_of("out_of_memory", 100));
  EXPECT_EQ(result.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_GT(count_of(result, VerdictKind::kNotRun), 0);
  EXPECT_GT(count_of(result, VerdictKind::kPassed), 0);
  EXPECT_EQ(count_of(result, VerdictKind::kNotRun) + count_of(result, VerdictKind::kPassed), 100);
  EXPECT_THAT(result.tally.incomplete_because[0], HasSubstr("cases could not be run: the harness"));
}

TEST(ShortMachine, CasesThatNeedMoreThanThereIsAreNotRun) {
  const ProfileRun result = run(profile_of("passes", 5), open_forward_only(40'000'000'000'000));
  EXPECT_EQ(result.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_EQ(count_of(result, VerdictKind::kNotRun), 5);
  EXPECT_THAT(result.tally.incomplete_because[0],
              AllOf(HasSubstr("none of 5 cases was judged: the case needs 4"),
                    HasSubstr(" are available")));
}

TEST(ShortMachine, AKilledCaseRunsOnceMoreAlone) {
  killed_cases.clear();
  const ProfileRun result = run(profile_of("killed_once", 100));
  EXPECT_EQ(result.tally.conclusion, Conclusion::kPassed);
  EXPECT_EQ(count_of(result, VerdictKind::kPassed), 100);
}

TEST(ShortMachine, AKernelThatIsKilledAloneAsWellHasCrashed) {
  const ProfileRun result = run(profile_of("kills_itself", 3));
  EXPECT_EQ(result.tally.conclusion, Conclusion::kFailed);
  ASSERT_FALSE(result.failures.empty());
  EXPECT_EQ(result.failures[0].verdict.kind, VerdictKind::kCrashed);
  EXPECT_EQ(result.failures[0].verdict.reason, "killed by SIGKILL, also where the case ran alone");
}

TEST(ShortMachine, FewerWorkersDoWhereTheNextCannotBeStarted) {
  std::atomic<int> opened{0};
  const OpenSession open = [&](double deadline) -> Result<std::unique_ptr<Session>> {
    if (++opened > 1) { return run_short("cannot start the worker: Too many open files"); }
    return open_forward_only()(deadline);
  };
  const ProfileRun result = run(profile_of("passes", 20), open);
  EXPECT_EQ(result.threads, 1);
  EXPECT_EQ(result.tally.conclusion, Conclusion::kPassed);
  // A kernel that does not open is another matter.
  opened = 0;
  const OpenSession broken = [&](double deadline) -> Result<std::unique_ptr<Session>> {
    if (++opened > 1) { return make_error("kernel 'x' does not load"); }
    return open_forward_only()(deadline);
  };
  EXPECT_FALSE(run_profile(profile_of("passes", 20), kShortNames, broken, {.threads = 2}));
}

// The machine has room for so many runs of a session.
FakeSession::Mistake runs_short_after(Index good_runs) {
  return [=](const Problem&, const RunOptions&, Index run, Outcome& outcome) {
    if (run < good_runs) { return; }
    outcome = Outcome();
    outcome.message = "no memory is left";
  };
}

TEST(ShortMachine, OffsetsThatWereNotTriedHaveNotBeenAccepted) {
  Manifest manifest = testing::every_manifest();
  manifest.invalid_offsets = InvalidOffsets::kRefused;
  FakeSession session(runs_short_after(2), manifest);
  const Check& check = *find_check("invalid_offsets_do_what_the_manifest_says");
  const Verdict verdict = check.run(session, *parse_case("pass=fwd k=8 n=8 rows=3,2 seed=1"));
  EXPECT_EQ(verdict.kind, VerdictKind::kNotRun);
  EXPECT_THAT(verdict.reason, HasSubstr("no memory is left"));
}

TEST(ShortMachine, AProbeThatCannotGoOnTellsNothingOfTheKernel) {
  FakeSession session(runs_short_after(4));
  const ProbeReport report = probe(session);
  EXPECT_EQ(report.not_run, "no memory is left");
  EXPECT_TRUE(report.disagreements.empty()) << report.disagreements.front();
}

TEST(ShortMachine, WithoutThreadsThisOneDoesTheWork) {
  EXPECT_EQ(without_threads([] {
              const ProfileRun result = run(profile_of("passes", 20));
              return result.tally.conclusion == Conclusion::kPassed &&
                             count_of(result, VerdictKind::kPassed) == 20
                         ? 0
                         : 1;
            }),
            0);
}

}  // namespace
}  // namespace assay
