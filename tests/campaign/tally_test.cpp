#include "src/campaign/tally.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const Check kTalliedFirst = testing::fake_check("first");
const Check kTalliedSecond = testing::fake_check("second");

JobResult result(VerdictKind kind, std::uint64_t line, Pass pass = Pass::kFwd) {
  JobResult result;
  result.ran = true;
  result.kind = kind;
  result.runs = 2;
  result.facts.pass = pass;
  result.facts.line_hash = {line, line};
  return result;
}

TallyRules rules() { return {.max_findings_per_check = 1, .declared_passes = {Pass::kFwd}}; }

TEST(Tally, CountsACaseOncePerCheckAndOnceInAll) {
  const std::vector<JobResult> results = {
      result(VerdictKind::kPassed, 1), result(VerdictKind::kPassed, 1),
      result(VerdictKind::kPassed, 2), result(VerdictKind::kPassed, 2)};
  const Tally whole =
      tally({{.check = &kTalliedFirst, .jobs = {0, 1, 2}}, {.check = &kTalliedSecond, .jobs = {3}}},
            results, rules());
  EXPECT_EQ(whole.checks[0].cases, 2);
  EXPECT_EQ(whole.checks[1].cases, 1);
  EXPECT_EQ(whole.domain.total(), 2);
  EXPECT_EQ(whole.runs, 8);
  EXPECT_EQ(whole.conclusion, Conclusion::kPassed);
}

TEST(Tally, RefusedAndMistrustedDoNotCount) {
  const std::vector<JobResult> results = {
      result(VerdictKind::kPassed, 1), result(VerdictKind::kUnsupported, 2),
      result(VerdictKind::kInconclusive, 3), result(VerdictKind::kNotApplicable, 4)};
  const Tally whole = tally({{.check = &kTalliedFirst, .jobs = {0, 1, 2, 3}}}, results, rules());
  EXPECT_EQ(whole.checks[0].cases, 1);
  EXPECT_EQ(whole.domain.total(), 1);
  EXPECT_EQ(whole.conclusion, Conclusion::kPassed);
}

TEST(Tally, ACheckWithoutAJudgedCaseIsNotRunAndLeavesTheRunIncomplete) {
  std::vector<JobResult> results = {result(VerdictKind::kPassed, 1),
                                    result(VerdictKind::kUnsupported, 2)};
  results[1].reason = "k is odd";
  const Tally whole =
      tally({{.check = &kTalliedFirst, .jobs = {0}}, {.check = &kTalliedSecond, .jobs = {1}}},
            results, rules());
  EXPECT_EQ(whole.checks[1].verdict, VerdictKind::kNotRun);
  EXPECT_THAT(whole.checks[1].reason, HasSubstr("k is odd"));
  EXPECT_EQ(whole.conclusion, Conclusion::kIncomplete);
  EXPECT_THAT(whole.incomplete_because, Contains(HasSubstr("second")));
}

TEST(Tally, ChecksThatLackCasesForOneReasonStandInOneLine) {
  static const Check kMany[] = {testing::fake_check("a"), testing::fake_check("b"),
                                testing::fake_check("c"), testing::fake_check("d"),
                                testing::fake_check("e"), testing::fake_check("f")};
  std::vector<JobResult> results;
  std::vector<CheckJobs> jobs;
  const auto add = [&](std::size_t check, VerdictKind kind, const std::string& reason) {
    results.push_back(result(kind, results.size() + 1));
    results.back().reason = reason;
    if (jobs.size() <= check) { jobs.push_back({.check = &kMany[check]}); }
    jobs[check].jobs.push_back(static_cast<Index>(results.size()) - 1);
  };
  for (std::size_t check = 0; check < 4; ++check) {
    add(check, VerdictKind::kNotRun, "it needs " + std::to_string(check) + ".5 GB as bf16");
    add(check, VerdictKind::kNotRun, "another reason");
  }
  add(4, VerdictKind::kNotRun, "it needs 9.5 GB as fp16");
  add(5, VerdictKind::kPassed, "");
  add(5, VerdictKind::kNotRun, "the machine is full");
  const Tally whole = tally(jobs, results, {.whole_profile = false});
  EXPECT_THAT(whole.incomplete_because,
              ::testing::ElementsAre("4 checks (a, b, c and 1 more): none of 8 cases was judged: "
                                     "it needs 0.5 GB as bf16",
                                     "e: none of 1 cases was judged: it needs 9.5 GB as fp16",
                                     "f: 1 cases could not be run: the machine is full"));
  EXPECT_EQ(whole.checks[1].reason, "none of 2 cases was judged: it needs 1.5 GB as bf16");
}

TEST(Tally, ChecksThatWereNotReachedStandInOneLine) {
  const Tally whole =
      tally({{.check = &kTalliedFirst, .jobs = {0}}, {.check = &kTalliedSecond, .jobs = {1}}},
            std::vector<JobResult>(2), {.cut_short = "interrupted; 0 of 2 cases done"});
  EXPECT_THAT(whole.incomplete_because,
              ::testing::ElementsAre("interrupted; 0 of 2 cases done",
                                     "2 checks (first, second): no case was reached before the "
                                     "run was cut short"));
}

TEST(Tally, ACellWithoutATrustedCaseIsNotPassed) {
  std::vector<JobResult> results = {result(VerdictKind::kPassed, 1),
                                    result(VerdictKind::kInconclusive, 2)};
  results[1].facts.out = Format::kFp32;
  const Tally whole = tally({{.check = &kTalliedFirst, .jobs = {0, 1}}}, results, rules());
  EXPECT_EQ(whole.checks[0].verdict, VerdictKind::kInconclusive);
  EXPECT_THAT(whole.checks[0].reason, HasSubstr("bf16 -> fp32"));
  EXPECT_EQ(whole.conclusion, Conclusion::kIncomplete);
  // One trusted case of the cell is enough.
  results.push_back(result(VerdictKind::kPassed, 3));
  results[2].facts.out = Format::kFp32;
  EXPECT_EQ(tally({{.check = &kTalliedFirst, .jobs = {0, 1, 2}}}, results, rules()).conclusion,
            Conclusion::kPassed);
}

TEST(Tally, ADeclaredPassNeedsATenthOfItsCases) {
  std::vector<JobResult> results = {result(VerdictKind::kPassed, 1)};
  std::vector<Index> jobs = {0};
  for (std::uint64_t line = 2; line <= 11; ++line) {
    jobs.push_back(static_cast<Index>(results.size()));
    results.push_back(result(VerdictKind::kUnsupported, line));
  }
  Tally whole = tally({{.check = &kTalliedFirst, .jobs = jobs}}, results, rules());
  EXPECT_EQ(whole.conclusion, Conclusion::kIncomplete) << "1 of 11";
  EXPECT_THAT(whole.incomplete_because, Contains(HasSubstr("declared pass fwd: 1 of 11")));
  jobs.pop_back();
  EXPECT_EQ(tally({{.check = &kTalliedFirst, .jobs = jobs}}, results, rules()).conclusion,
            Conclusion::kPassed)
      << "1 of 10";
  TallyRules wgrad_too = rules();
  wgrad_too.declared_passes.push_back(Pass::kWgrad);
  EXPECT_EQ(tally({{.check = &kTalliedFirst, .jobs = jobs}}, results, wgrad_too).conclusion,
            Conclusion::kIncomplete)
      << "no case of a declared pass";
  wgrad_too.whole_profile = false;
  EXPECT_EQ(tally({{.check = &kTalliedFirst, .jobs = jobs}}, results, wgrad_too).conclusion,
            Conclusion::kPassed)
      << "a filtered run makes no claim about coverage";
}

TEST(Tally, NotApplicableIsNoGap) {
  const std::vector<JobResult> results = {result(VerdictKind::kPassed, 1)};
  const Tally whole =
      tally({{.check = &kTalliedFirst, .jobs = {0}},
             {.check = &kTalliedSecond, .not_applicable = "needs a GPU", .jobs = {}}},
            results, rules());
  EXPECT_EQ(whole.checks[1].verdict, VerdictKind::kNotApplicable);
  EXPECT_EQ(whole.checks[1].reason, "needs a GPU");
  EXPECT_EQ(whole.conclusion, Conclusion::kPassed);
}

TEST(Tally, ACheckOfWhichNoCaseAppliesIsNotApplicable) {
  std::vector<JobResult> results = {result(VerdictKind::kPassed, 1),
                                    result(VerdictKind::kNotApplicable, 2)};
  results[1].reason = "there is one GPU only";
  const Tally whole =
      tally({{.check = &kTalliedFirst, .jobs = {0}}, {.check = &kTalliedSecond, .jobs = {1}}},
            results, rules());
  EXPECT_EQ(whole.checks[1].verdict, VerdictKind::kNotApplicable);
  EXPECT_EQ(whole.checks[1].reason, "there is one GPU only");
  EXPECT_EQ(whole.conclusion, Conclusion::kPassed);
}

TEST(Tally, AFindingFailsTheRunWhateverElseIsMissing) {
  const std::vector<JobResult> results = {result(VerdictKind::kPassed, 1),
                                          result(VerdictKind::kCrashed, 2),
                                          result(VerdictKind::kPassed, 3)};
  TallyRules cut = rules();
  cut.cut_short = "the budget is spent";
  const Tally whole = tally({{.check = &kTalliedFirst, .jobs = {0, 1, 2}}}, results, cut);
  EXPECT_EQ(whole.conclusion, Conclusion::kFailed);
  EXPECT_EQ(whole.checks[0].verdict, VerdictKind::kCrashed);
  EXPECT_EQ(whole.checks[0].left_out, 1) << "what ran after the finding does not count";
  EXPECT_EQ(whole.checks[0].cases, 2);
}

TEST(Tally, CutShortIsNeverPassed) {
  const std::vector<JobResult> results = {result(VerdictKind::kPassed, 1)};
  TallyRules cut = rules();
  cut.cut_short = "interrupted";
  EXPECT_EQ(tally({{.check = &kTalliedFirst, .jobs = {0}}}, results, cut).conclusion,
            Conclusion::kIncomplete);
}

TEST(Tally, ALostCaseLeavesTheRunIncomplete) {
  const std::vector<JobResult> results = {result(VerdictKind::kPassed, 1),
                                          result(VerdictKind::kNotRun, 2)};
  EXPECT_EQ(tally({{.check = &kTalliedFirst, .jobs = {0, 1}}}, results, rules()).conclusion,
            Conclusion::kIncomplete);
}

TEST(Tally, KeepsTheWorstRatioAndItsCase) {
  std::vector<JobResult> results(3, result(VerdictKind::kPassed, 1));
  results[0].worst_ratio = 0.25;
  results[1].worst_ratio = 0.5;
  results[2].worst_ratio = 0.5;
  const Tally whole = tally({{.check = &kTalliedFirst, .jobs = {0, 1, 2}}}, results, rules());
  EXPECT_EQ(whole.checks[0].worst_ratio, 0.5);
  EXPECT_EQ(whole.checks[0].worst_job, 1) << "the first of equal ones, on any machine";
}

TEST(Tally, ManyTilesAreCountedByTactic) {
  std::vector<JobResult> results = {result(VerdictKind::kPassed, 1),
                                    result(VerdictKind::kPassed, 2)};
  results[0].facts.tactic = "tile64";
  results[0].facts.many_tiles = true;
  results[1].facts.tactic = "tile128";
  const Tally whole = tally({{.check = &kTalliedFirst, .jobs = {0, 1}}}, results, rules());
  EXPECT_EQ(whole.domain.many_tiles, (std::map<std::string, Index>{{"tile64", 1}}));
}

}  // namespace
}  // namespace assay
