#include "src/campaign/run_profile.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using ::testing::Contains;
using testing::draw_small;
using ::testing::HasSubstr;
using testing::open_fake;

Verdict verdict(VerdictKind kind, const std::string& reason = "") {
  Verdict verdict;
  verdict.kind = kind;
  verdict.reason = reason;
  verdict.runs = 1;
  return verdict;
}
Verdict passes(Session&, const CaseSpec& spec) {
  Verdict passed = verdict(VerdictKind::kPassed);
  passed.worst_ratio = static_cast<double>(spec.seed % 7) / 8;
  return passed;
}
Verdict fails_on_wide(Session&, const CaseSpec& spec) {
  return verdict(spec.k == 4 ? VerdictKind::kFailed : VerdictKind::kPassed, "k is 4");
}
Verdict refuses(Session&, const CaseSpec&) {
  return verdict(VerdictKind::kUnsupported, "too small");
}
// Hangs the first time that it sees a case, as a loaded machine makes it look.
std::mutex seen_mutex;
std::set<std::string> seen;
Verdict hangs_once(Session&, const CaseSpec& spec) {
  const std::scoped_lock lock(seen_mutex);
  const bool first = seen.insert(canonical_text(spec)).second;
  return verdict(first && spec.seed % 40 == 0 ? VerdictKind::kHung : VerdictKind::kPassed);
}
// The same case fails the second time.
std::vector<CaseSpec> calls;  // since the last hang
std::map<std::string, std::vector<CaseSpec>> calls_before;
Verdict hangs_then_fails(Session& kernel, const CaseSpec& spec) {
  const bool again = seen.contains(canonical_text(spec));
  if (hangs_once(kernel, spec).kind == VerdictKind::kHung) {
    calls.clear();
    return verdict(VerdictKind::kHung);
  }
  if (again) { calls_before[canonical_text(spec)] = calls; }
  calls.push_back(spec);
  return verdict(again ? VerdictKind::kFailed : VerdictKind::kPassed);
}
// An interrupt from the terminal ends the second run and its worker.
std::atomic<bool> stopped{false};
Verdict hangs_until_stopped(Session& kernel, const CaseSpec& spec) {
  const bool again = seen.contains(canonical_text(spec));
  const Verdict first = hangs_once(kernel, spec);
  if (!again) { return first; }
  stopped = true;
  return verdict(VerdictKind::kCrashed, "signal 2");
}
Verdict hangs(Session&, const CaseSpec&) { return verdict(VerdictKind::kHung); }
std::optional<std::string> no_gpu(const Manifest&) { return "needs a GPU"; }

const Check kChecks[] = {testing::fake_check("passes", passes),
                         testing::fake_check("fails_on_wide", fails_on_wide),
                         testing::fake_check("refuses", refuses),
                         testing::fake_check("hangs_once", hangs_once),
                         testing::fake_check("hangs", hangs),
                         testing::fake_check("hangs_then_fails", hangs_then_fails),
                         testing::fake_check("hangs_until_stopped", hangs_until_stopped),
                         testing::fake_check("on_a_gpu", passes, no_gpu)};
CaseSpec draw_impossible(Rng&, const Manifest&) {
  CaseSpec spec;
  spec.k = spec.n = 1;
  spec.rows = {-1};
  return spec;
}
const Generator kGenerators[] = {testing::fake_generator("small", draw_small),
                                 testing::fake_generator("impossible", draw_impossible)};
const Registry kNames{kChecks, kGenerators};

Profile profile_of(std::initializer_list<std::string> checks, Index count) {
  Profile profile{.name = "p", .certifies_cpu = true};
  for (const std::string& check : checks) { profile.lines.push_back({check, "small", count, 1}); }
  return profile;
}

Manifest forward_only() {
  Manifest manifest = testing::every_manifest();
  manifest.passes = {Pass::kFwd};
  return manifest;
}
OpenSession open_forward() {
  return [](double) -> Result<std::unique_ptr<Session>> {
    return std::make_unique<testing::FakeSession>(nullptr, forward_only());
  };
}

ProfileRun run(const Profile& profile, RunProfileOptions options) {
  if (options.threads == 0) { options.threads = 2; }
  auto run = run_profile(profile, kNames, open_forward(), options);
  EXPECT_TRUE(run) << run.error().message;
  return std::move(*run);
}

TEST(RunProfile, ADeviceIsSharedByNoMoreWorkersThanKeepItBusy) {
  Manifest manifest = forward_only();
  EXPECT_EQ(workers_for(manifest, 128), 128);
  manifest.device = "cuda";
  EXPECT_EQ(workers_for(manifest, 128), 16);
  EXPECT_EQ(workers_for(manifest, 4), 4);
}

TEST(RunProfile, JudgesEveryCaseOfEveryCheck) {
  const ProfileRun result = run(profile_of({"passes", "on_a_gpu"}, 200), {});
  EXPECT_EQ(result.tally.conclusion, Conclusion::kPassed);
  EXPECT_EQ(result.tally.runs, 200);
  EXPECT_EQ(result.tally.checks[0].drawn, 200);
  EXPECT_GT(result.tally.checks[0].cases, 150);
  EXPECT_EQ(result.tally.checks[1].verdict, VerdictKind::kNotApplicable);
  EXPECT_TRUE(result.failures.empty());
  const auto worst = parse_case(result.worst_cases[0]);
  ASSERT_TRUE(worst);
  EXPECT_EQ(static_cast<double>(worst->seed % 7) / 8, result.tally.checks[0].worst_ratio);
  EXPECT_EQ(result.worst_cases[1], "");
}

TEST(RunProfile, SaysTheSameOnAnyNumberOfThreads) {
  const Profile profile = profile_of({"passes", "fails_on_wide"}, 300);
  const ProfileRun one = run(profile, {.threads = 1, .max_findings_per_check = 2});
  for (const int threads : {2, 5, 8}) {
    const ProfileRun many = run(profile, {.threads = threads, .max_findings_per_check = 2});
    EXPECT_EQ(many.worst_cases, one.worst_cases);
    ASSERT_EQ(many.failures.size(), one.failures.size());
    for (std::size_t i = 0; i < one.failures.size(); ++i) {
      EXPECT_EQ(many.failures[i].spec, one.failures[i].spec);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(many.tally.checks[i].cases, one.tally.checks[i].cases);
      EXPECT_EQ(many.tally.checks[i].left_out, one.tally.checks[i].left_out);
      EXPECT_EQ(many.tally.checks[i].kinds, one.tally.checks[i].kinds);
    }
    EXPECT_EQ(many.tally.domain.total(), one.tally.domain.total());
  }
}

TEST(RunProfile, ACheckWithItsFindingsGetsNoMoreCasesAndTheOthersAllOfThem) {
  const ProfileRun result =
      run(profile_of({"fails_on_wide", "passes"}, 400), {.max_findings_per_check = 3});
  EXPECT_EQ(result.tally.conclusion, Conclusion::kFailed);
  EXPECT_EQ(result.failures.size(), 3u);
  EXPECT_EQ(result.tally.checks[0].kinds[static_cast<int>(VerdictKind::kFailed)], 3);
  EXPECT_GT(result.tally.checks[0].left_out, 300);
  EXPECT_EQ(result.tally.checks[1].kinds[static_cast<int>(VerdictKind::kPassed)], 400);
}

TEST(RunProfile, KeepsGoingPastFindingsAndCountsThem) {
  const Profile profile = profile_of({"fails_on_wide", "passes"}, 400);
  const ProfileRun result = run(profile, {.threads = 3, .keep_going = true});
  const CheckTally& tally = result.tally.checks[0];
  EXPECT_EQ(result.failures.size(), 1u) << "findings keep their limit";
  EXPECT_EQ(tally.left_out, 0);
  EXPECT_EQ(tally.counted_cases(), 400);
  EXPECT_GT(tally.failed_cases(), 50);
  EXPECT_EQ(tally.failed_cases() + tally.kinds[static_cast<int>(VerdictKind::kPassed)], 400);
  EXPECT_EQ(tally.verdict, VerdictKind::kFailed);
  EXPECT_EQ(result.tally.checks[1].failed_cases(), 0);
}

TEST(RunProfile, StopsAtTheFirstFindingInProfileOrder) {
  const Profile profile = profile_of({"passes", "fails_on_wide"}, 300);
  const ProfileRun one = run(profile, {.threads = 1, .stop_at_first_finding = true});
  const ProfileRun four = run(profile, {.threads = 4, .stop_at_first_finding = true});
  ASSERT_EQ(one.failures.size(), 1u);
  ASSERT_EQ(four.failures.size(), 1u);
  EXPECT_EQ(one.failures[0].spec, four.failures[0].spec);
  EXPECT_LT(one.tally.runs, 100);
}

TEST(RunProfile, ABudgetCutsShortToIncomplete) {
  const ProfileRun result = run(profile_of({"passes"}, 300'000), {.budget_seconds = 0.05});
  EXPECT_EQ(result.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_THAT(result.tally.incomplete_because, Contains(HasSubstr("budget of 0.05 s")));
  EXPECT_GT(result.tally.runs, 0);
}

TEST(RunProfile, AnInterruptEndsWithATableThatIsIncomplete) {
  std::atomic<bool> stop{true};
  const ProfileRun result = run(profile_of({"passes"}, 100), {.stop = &stop});
  EXPECT_EQ(result.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_THAT(result.tally.incomplete_because, Contains(HasSubstr("interrupted")));
  EXPECT_EQ(result.tally.checks[0].verdict, VerdictKind::kNotRun);
}

TEST(RunProfile, AHungCaseRunsOnceMoreAlone) {
  seen.clear();
  const ProfileRun result = run(profile_of({"hangs_once"}, 100), {.max_hung = 1000});
  EXPECT_EQ(result.tally.conclusion, Conclusion::kPassed);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.tally.checks[0].kinds[static_cast<int>(VerdictKind::kPassed)], 100);
}

TEST(RunProfile, AnInterruptOfASecondRunIsNoCrash) {
  seen.clear();
  const ProfileRun result = run(profile_of({"hangs_until_stopped"}, 100),
                                {.threads = 1, .max_hung = 1000, .stop = &stopped});
  EXPECT_TRUE(stopped);
  EXPECT_EQ(result.tally.kinds[static_cast<int>(VerdictKind::kCrashed)], 0);
  EXPECT_EQ(result.cut_short, "interrupted");
}

TEST(RunProfile, AHangThatWasNoneDoesNotEndARunThatStopsAtAFinding) {
  seen.clear();
  const ProfileRun clean =
      run(profile_of({"hangs_once"}, 100), {.max_hung = 1000, .stop_at_first_finding = true});
  EXPECT_EQ(clean.tally.kinds[static_cast<int>(VerdictKind::kPassed)], 100);
  const auto first_failure = [](const std::string& other) {
    return run(profile_of({other, "fails_on_wide"}, 300),
               {.max_hung = 1000, .stop_at_first_finding = true})
        .failures;
  };
  seen.clear();
  const auto sound = first_failure("passes"), loaded = first_failure("hangs_once");
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded[0].spec, sound[0].spec);
}

TEST(RunProfile, AFindingOfASecondRunComesWithWhatThatWorkerHadRun) {
  seen.clear();
  calls.clear();
  const ProfileRun result = run(profile_of({"hangs_then_fails"}, 100),
                                {.threads = 1, .max_findings_per_check = 100, .max_hung = 1000});
  ASSERT_FALSE(result.failures.empty());
  ASSERT_EQ(result.failures.size(), calls_before.size());
  for (const Failure& failure : result.failures) {
    const std::vector<CaseSpec>& expected = calls_before.at(canonical_text(failure.spec));
    ASSERT_EQ(failure.before.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(failure.before[i].spec, expected[i]);
    }
  }
}

TEST(RunProfile, ManyHangsEndTheRun) {
  const ProfileRun result = run(profile_of({"hangs", "passes"}, 5000),
                                {.threads = 1, .max_findings_per_check = 100, .max_hung = 3});
  EXPECT_EQ(result.tally.conclusion, Conclusion::kFailed);
  EXPECT_EQ(result.tally.checks[0].verdict, VerdictKind::kHung);
  EXPECT_EQ(result.failures.size(), 3u);
  EXPECT_LT(result.tally.runs, 20);
}

Verdict hangs_on_wgrad(Session&, const CaseSpec& spec) {
  return verdict(spec.pass == Pass::kWgrad ? VerdictKind::kHung : VerdictKind::kPassed);
}

TEST(RunProfile, AHangOfOnePassCostsTheOthersNothing) {
  static const Check kTwo[] = {testing::fake_check("first", hangs_on_wgrad),
                               testing::fake_check("second", passes)};
  static const Generator kBoth[] = {testing::fake_generator("both", [](Rng& rng, const Manifest&) {
    CaseSpec spec = draw_small(rng, {});
    spec.pass = rng.below(2) == 0 ? Pass::kFwd : Pass::kWgrad;
    return spec;
  })};
  const auto profile =
      parse_profile("profile=p certifies=none\ncheck=first,second generator=both count=200 seed=1",
                    "p", Registry{kTwo, kBoth});
  const auto run = run_profile(profile.value(), Registry{kTwo, kBoth}, open_fake(),
                               {.threads = 1, .max_findings_per_check = 100});
  ASSERT_TRUE(run) << run.error().message;
  // Two deadlines, and one of them once more alone.
  EXPECT_EQ(run->failures.size(), 2u);
  EXPECT_EQ(run->tally.checks[1].verdict, VerdictKind::kInconclusive);
  EXPECT_THAT(run->tally.checks[1].reason, HasSubstr("cut short"));
  EXPECT_EQ(run->tally.conclusion, Conclusion::kFailed);
  EXPECT_GT(run->tally.domain.cases[static_cast<int>(Pass::kFwd)], 100);
  EXPECT_THAT(run->tally.incomplete_because,
              Contains(HasSubstr("2 cases of pass wgrad hung, each costs a deadline")));
}

TEST(RunProfile, ACheckWithoutAJudgedCaseLeavesItIncomplete) {
  const ProfileRun result = run(profile_of({"passes", "refuses"}, 20), {});
  EXPECT_EQ(result.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_EQ(result.tally.checks[1].verdict, VerdictKind::kNotRun);
}

TEST(RunProfile, AShiftedOrFilteredRunIsOffProfile) {
  const Profile profile = profile_of({"passes", "refuses"}, 20);
  EXPECT_TRUE(run(profile, {}).whole_profile);
  EXPECT_FALSE(run(profile, {.seed_shift = 1}).whole_profile);
  const ProfileRun filtered = run(profile, {.filter = "^passes$"});
  EXPECT_FALSE(filtered.whole_profile);
  EXPECT_EQ(filtered.tally.conclusion, Conclusion::kPassed);
  EXPECT_EQ(filtered.tally.checks.size(), 1u);
}

TEST(RunProfile, RefusesFiltersThatMatchNothingOrAreNoExpression) {
  const Profile profile = profile_of({"passes"}, 1);
  const auto nothing = run_profile(profile, kNames, open_fake(), {.filter = "leak"});
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, AllOf(HasSubstr("'leak'"), HasSubstr("passes")));
  const auto broken = run_profile(profile, kNames, open_fake(), {.filter = "("});
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("'('"));
}

TEST(RunProfile, RefusesAKernelOfAnotherDevice) {
  Profile profile = profile_of({"passes"}, 1);
  profile.device = "cuda";
  const auto run = run_profile(profile, kNames, open_fake(), {.threads = 1});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, AllOf(HasSubstr("'p'"), HasSubstr("cuda"), HasSubstr("cpu")));
}

TEST(RunProfile, RefusesAKernelThatDeclaresAnotherManifestOnEachLoad) {
  std::atomic<int> loads{0};
  const OpenSession open = [&](double) -> Result<std::unique_ptr<Session>> {
    Manifest manifest = testing::every_manifest();
    manifest.declared = fmt::format(R"({{"max_experts": {}}})", ++loads);
    return std::make_unique<testing::FakeSession>(testing::FakeSession::Mistake(), manifest);
  };
  const auto run = run_profile(profile_of({"passes"}, 1), kNames, open, {.threads = 2});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message,
            "kernel 'fake' declares another manifest on each load, '1}' and then '2}' at the same "
            "place: it has to be one");
}

TEST(RunProfile, ACaseThatCannotBeMadeIsNotRun) {
  Profile profile = profile_of({"passes"}, 3);
  profile.lines[0].generator = "impossible";
  const auto run = run_profile(profile, kNames, open_fake(), {.threads = 1});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->tally.checks[0].verdict, VerdictKind::kNotRun);
  EXPECT_EQ(run->tally.conclusion, Conclusion::kIncomplete);
}

TEST(RunProfile, PassesOnWhyAKernelDoesNotOpen) {
  const OpenSession broken = [](double) -> Result<std::unique_ptr<Session>> {
    return make_error("unknown kernel 'x'");
  };
  const auto run = run_profile(profile_of({"passes"}, 1), kNames, broken, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "unknown kernel 'x'");
}

}  // namespace
}  // namespace assay
