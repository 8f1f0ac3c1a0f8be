#include "src/campaign/join_findings.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/support/case_run.h"
#include "tests/campaign/fake_kernel.h"
#include "tests/problem/parsed.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using Mistake = testing::FakeSession::Mistake;

const Check kFirst = testing::fake_check("first"), kSecond = testing::fake_check("second"),
            kThird = testing::fake_check("third");

Finding finding(const Check& check, Aspect aspect, std::string_view hypothesis,
                std::string_view line = "pass=fwd k=2 n=1 rows=0,1") {
  Finding finding;
  finding.check = &check;
  finding.checks = {&check};
  finding.original = finding.shrunk = parsed(line);
  fail(finding.verdict, aspect, "as planted");
  finding.diagnosis.hypothesis = hypothesis;
  return finding;
}

TEST(JoinFindings, OneCauseIsOneFindingOfAllItsChecks) {
  const auto joined = join_findings({finding(kFirst, Aspect::kValues, "reduction_tail_dropped"),
                                     finding(kSecond, Aspect::kValues, "reduction_tail_dropped"),
                                     finding(kThird, Aspect::kValues, "reduction_tail_dropped")});
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_THAT(joined[0].checks, ElementsAre(&kFirst, &kSecond, &kThird));
  EXPECT_EQ(checks_text(joined[0]), "first and 2 other checks: second, third");
  EXPECT_EQ(wrong_text(joined[0]), "wrong values (values)");
}

TEST(JoinFindings, KeepsTheSmallestCaseWithItsCheck) {
  const auto joined =
      join_findings({finding(kFirst, Aspect::kValues, "h", "pass=fwd k=9 n=1 rows=3,4"),
                     finding(kSecond, Aspect::kValues, "h", "pass=fwd k=2 n=1 rows=1"),
                     finding(kThird, Aspect::kValues, "h", "pass=fwd k=3 n=1 rows=1")});
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].shrunk, parsed("pass=fwd k=2 n=1 rows=1"));
  EXPECT_EQ(joined[0].check, &kSecond);
  EXPECT_THAT(joined[0].checks, ElementsAre(&kSecond, &kFirst, &kThird));
}

TEST(JoinFindings, AnotherAspectOrExplanationIsAnotherFinding) {
  const auto joined = join_findings({finding(kFirst, Aspect::kValues, "h"),
                                     finding(kSecond, Aspect::kStrayWrite, "h"),
                                     finding(kSecond, Aspect::kValues, "other")});
  EXPECT_EQ(joined.size(), 3U);
}

TEST(JoinFindings, WhatCrashesOnTheWayIsTheSameFinding) {
  Finding crash = finding(kThird, Aspect::kValues, "h");
  crash.verdict.kind = VerdictKind::kCrashed;
  EXPECT_EQ(join_findings({finding(kFirst, Aspect::kValues, "h"), crash}).size(), 1U);
}

TEST(JoinFindings, ARelationThatOneMistakeBreaksIsNoFindingBesideIt) {
  const auto count = [](Aspect other, std::string_view hypothesis) {
    return join_findings(
               {finding(kFirst, Aspect::kValues, hypothesis), finding(kSecond, other, hypothesis)})
        .size();
  };
  EXPECT_EQ(count(Aspect::kRelation, "h"), 1U);
  EXPECT_EQ(count(Aspect::kNotRepeatable, "h"), 1U);
  EXPECT_EQ(count(Aspect::kRelation, "sporadic"), 2U);
  EXPECT_EQ(count(Aspect::kRelation, ""), 2U);
}

TEST(JoinFindings, WithoutAnExplanationTheCaseOrTheReasonIsTheSame) {
  const auto two = [](Aspect aspect, std::string_view second_line) {
    return join_findings({finding(kFirst, aspect, "", "pass=fwd k=2 n=1 rows=1"),
                          finding(kSecond, aspect, "", second_line)})
        .size();
  };
  EXPECT_EQ(two(Aspect::kOutOfBounds, "pass=fwd k=3 n=1 rows=1"), 1U);
  EXPECT_EQ(two(Aspect::kValues, "pass=fwd k=3 n=1 rows=1"), 2U);
  EXPECT_EQ(two(Aspect::kValues, "pass=fwd k=2 n=1 rows=1"), 1U);
}

TEST(JoinFindings, AnotherRowOfTheSameReasonIsTheSameFinding) {
  const auto of_row = [](const Check& check, Aspect aspect, std::string_view line,
                         const std::string& reason) {
    Finding one = finding(check, aspect, "", line);
    one.verdict.reason = reason;
    return one;
  };
  const auto count = [&](Aspect aspect, const std::string& second) {
    return join_findings({of_row(kFirst, aspect, "pass=fwd k=2 n=1 rows=1", "row 7 of y (byte 28)"),
                          of_row(kSecond, aspect, "pass=fwd k=3 n=1 rows=1", second)})
        .size();
  };
  EXPECT_EQ(count(Aspect::kStrayWrite, "row 12 of y (byte 3)"), 1U);
  EXPECT_EQ(count(Aspect::kStrayWrite, "row 12 of x (byte 3)"), 2U);
  EXPECT_EQ(count(Aspect::kValues, "row 12 of y (byte 3)"), 2U);
  EXPECT_EQ(count(Aspect::kStrayWrite, "along the way: row 1 of y (byte 2)"), 1U);
  EXPECT_EQ(count(Aspect::kStrayWrite, "another arrow 1 of y (byte 2)"), 2U);
}

TEST(JoinFindings, ACaseWithoutRowsIsKeptOnlyWhereThereIsNoOther) {
  const Finding empty = finding(kFirst, Aspect::kValues, "h", "pass=wgrad k=1 n=1 rows=0");
  const Finding other = finding(kSecond, Aspect::kValues, "h", "pass=wgrad k=9 n=1 rows=2");
  EXPECT_EQ(join_findings({empty, other})[0].check, &kSecond);
  EXPECT_EQ(join_findings({empty})[0].check, &kFirst);
}

TEST(JoinFindings, OldRecordsWithoutAspectsAreJoinedByTheirHypothesis) {
  Finding first = finding(kFirst, Aspect::kValues, "h"), second = finding(kSecond, {}, "h");
  first.verdict.failed.clear();
  second.verdict.failed.clear();
  EXPECT_EQ(wrong_text(first), "first");
  EXPECT_EQ(join_findings({first, second}).size(), 1U);
  first.diagnosis = second.diagnosis = {};
  EXPECT_EQ(join_findings({first, second}).size(), 2U);
}

Certification certified(const Mistake& mistake) {
  static const Check kChecks[] = {testing::fake_check("first", judge_case_whole),
                                  testing::fake_check("second", judge_case_whole),
                                  testing::fake_check("third", judge_case_whole)};
  static const Generator kGenerators[] = {testing::fake_generator("one", [](Rng&, const Manifest&) {
    return parsed("pass=fwd out=fp32 k=9 n=5 rows=7,3 seed=5");
  })};
  const Registry names{kChecks, kGenerators};
  const auto profile = parse_profile(
      "profile=p certifies=none\ncheck=first,second,third generator=one count=2 "
      "seed=1",
      "p", names);
  CertifyOptions options;
  options.run.threads = 1;
  return certify("fake", profile.value(), names, testing::open_fake(mistake), options).value();
}

TEST(JoinFindings, OfARunOneMistakeIsOneFinding) {
  const Certification certification =
      certified([](const Problem&, const RunOptions&, Index, Outcome& outcome) {
        outcome.faults = {{.where = MemoryFault::Where::kGuard, .operand = "y", .byte = -4}};
      });
  EXPECT_EQ(certification.run.failures.size(), 3U);
  ASSERT_EQ(certification.findings.size(), 1U);
  EXPECT_EQ(certification.findings[0].checks.size(), 3U);
  EXPECT_EQ(headline(certification.findings[0].verdict.failed), Aspect::kStrayWrite);
}

// A smaller case that shows only something else is not the smallest case of this finding.
TEST(JoinFindings, AFindingShrinksToWhatItIsFiledUnder) {
  const Certification certification =
      certified([](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        if (problem.spec.k >= 5) {
          outcome.faults = {{.where = MemoryFault::Where::kGuard, .operand = "y", .byte = -4}};
        } else if (!outcome.output.empty()) {
          std::memset(outcome.output.data(), 0x47, 4);
        }
      });
  ASSERT_EQ(certification.findings.size(), 1U);
  EXPECT_EQ(certification.findings[0].shrunk.k, 5);
  EXPECT_EQ(headline(certification.findings[0].verdict.failed), Aspect::kStrayWrite);
}

}  // namespace
}  // namespace assay
