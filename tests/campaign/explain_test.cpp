// Shrinking and explaining within a time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/support/case_run.h"
#include "src/campaign/certify.h"
#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using Mistake = testing::FakeSession::Mistake;

void spoil(Outcome& outcome) {
  if (!outcome.output.empty()) { outcome.output[0] ^= std::byte{0x40}; }
}

Certification certified_within(double explain_seconds, const Mistake& mistake,
                               const Manifest& manifest = testing::every_manifest(),
                               const Check& check = testing::fake_check("whole",
                                                                        judge_case_whole)) {
  const Check kChecks[] = {check};
  static const Generator kGenerators[] = {testing::fake_generator("one", [](Rng&, const Manifest&) {
    return parse_case("pass=fwd k=9 n=5 rows=7,3 seed=5").value();
  })};
  const Registry names{kChecks, kGenerators};
  const auto profile = parse_profile(
      "profile=p device=any certifies=none\ncheck=whole generator=one count=1 seed=1", "p", names);
  CertifyOptions options;
  options.run.threads = 1;
  options.explain_seconds = explain_seconds;
  return certify("fake", profile.value(), names, testing::open_fake(mistake, manifest), options)
      .value();
}

TEST(Explain, FailuresThatCannotBeExplainedInTimeStayAsTheyWereMet) {
  const Mistake mistake = [](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    spoil(outcome);
  };
  const Certification explained = certified_within(0, mistake);
  ASSERT_EQ(explained.findings.size(), 1U);
  EXPECT_GT(explained.findings[0].shrink_tries, 0);
  const Certification late = certified_within(1e-9, mistake);
  ASSERT_EQ(late.findings.size(), 1U);
  EXPECT_EQ(late.findings[0].shrink_tries, 0);
  EXPECT_EQ(late.findings[0].shrunk, late.findings[0].original);
}

// As the probe does, which is about no case.
TEST(Explain, TheCaseThatACheckWithoutOneFoundWrongIsExplained) {
  Check check = testing::fake_check("whole", [](Session&, const CaseSpec& spec) {
    Verdict verdict{.kind = VerdictKind::kPassed};
    fail(verdict, Aspect::kManifest, "not as declared");
    verdict.inner = spec;
    return verdict;
  });
  check.shrinks = false;
  const Mistake mistake = [](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    spoil(outcome);
  };
  const Certification wrong = certified_within(0, mistake, testing::every_manifest(), check);
  ASSERT_EQ(wrong.findings.size(), 1U);
  EXPECT_EQ(headline(wrong.findings[0].verdict.failed), Aspect::kValues);
  EXPECT_GT(wrong.findings[0].shrink_tries, 0);
  const Certification right = certified_within(0, {}, testing::every_manifest(), check);
  ASSERT_EQ(right.findings.size(), 1U);
  EXPECT_EQ(headline(right.findings[0].verdict.failed), Aspect::kManifest);
  EXPECT_EQ(right.findings[0].shrink_tries, 0);
}

TEST(Explain, ADeclaredCaseDoesNotShrinkToAnExcludedOne) {
  Manifest manifest = testing::every_manifest();
  manifest.k_multiple = 3;
  const Mistake mistake = [](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    spoil(outcome);
  };
  const Certification failed = certified_within(0, mistake, manifest);
  ASSERT_EQ(failed.findings.size(), 1U);
  EXPECT_GT(failed.findings[0].shrink_tries, 0);
  EXPECT_EQ(failed.findings[0].shrunk.k % 3, 0);
  EXPECT_NE(failed.findings[0].diagnosis.hypothesis, "not_refused");
}

TEST(Explain, TheWorstOfTwoRunsThatDifferComesWithItsExactValue) {
  const Mistake mistake = [](const Problem&, const RunOptions& options, Index, Outcome& outcome) {
    const std::uint16_t infinity = options.poison == 0 ? 0x7f80 : 0xff80;
    std::memcpy(outcome.output.data(), &infinity, sizeof infinity);
  };
  testing::FakeSession session(mistake);
  const Verdict verdict =
      judge_case_whole(session, parse_case("pass=fwd k=1 n=2 rows=1 seed=5").value());
  ASSERT_EQ(verdict.kind, VerdictKind::kFailed);
  ASSERT_TRUE(verdict.worst);
  EXPECT_TRUE(std::isfinite(verdict.worst->exact)) << verdict.worst->exact;
}

TEST(Explain, AFindingStaysAsFarAsItIsExplainedInTime) {
  // Two runs a try; most tries fail to show it again.
  const Mistake slow = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (problem.spec.k == 9) { spoil(outcome); }
  };
  const Certification cut = certified_within(0.3, slow);
  ASSERT_EQ(cut.findings.size(), 1U);
  const Finding& finding = cut.findings[0];
  EXPECT_GT(finding.shrink_tries, 0);
  EXPECT_LT(finding.shrink_tries, 12);
  EXPECT_EQ(finding.shrunk.k, 9);
  EXPECT_EQ(finding.verdict.kind, VerdictKind::kFailed);
  EXPECT_EQ(finding.diagnosis.tried, 0);
  EXPECT_NE(finding.replay, "");
}

Certification certified_by(const Check& check, const Mistake& mistake, const Manifest& manifest) {
  const Check checks[] = {check};
  static const Generator kGenerators[] = {testing::fake_generator("one", [](Rng&, const Manifest&) {
    return parse_case("pass=fwd k=9 n=5 rows=7,3 seed=5").value();
  })};
  const Registry names{checks, kGenerators};
  const auto profile = parse_profile(
      fmt::format("profile=p certifies=none\ncheck={} generator=one count=1 seed=1", check.name),
      "p", names);
  CertifyOptions options;
  options.run.threads = 1;
  return certify("fake", profile.value(), names, testing::open_fake(mistake, manifest), options)
      .value();
}

// A check that judges other cases than its own is told by the one of them that failed.
TEST(Explain, TheCaseOfAFindingIsTheInnerOneThatFailed) {
  Manifest manifest = testing::every_manifest();
  manifest.tactics = {"narrow", "wide"};
  const Mistake mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    if (problem.spec.tactic == "wide" && problem.spec.k >= 4) { spoil(outcome); }
  };
  const Certification certified =
      certified_by(*find_check("every_tactic_passes"), mistake, manifest);
  ASSERT_EQ(certified.findings.size(), 1U);
  const Finding& finding = certified.findings[0];
  EXPECT_EQ(finding.check->name, "every_tactic_passes");
  EXPECT_EQ(finding.original.tactic, "default");
  EXPECT_EQ(short_text(finding.shrunk), "pass=fwd k=4 n=1 rows=1 tactic=wide");
  EXPECT_THAT(finding.replay, ::testing::HasSubstr("tactic=wide"));
  EXPECT_THAT(finding.replay, ::testing::EndsWith("--check exact_integers_match_bitwise"));
}

TEST(Explain, AFailureThatComesAndGoesIsSporadicAndItsReplayMayPass) {
  int runs = 0;
  const Mistake races = [&](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    constexpr int kWrong[] = {1, 8, 9, 20, 23, 36, 41, 59, 70};
    if (std::ranges::find(kWrong, runs++) != std::end(kWrong)) { spoil(outcome); }
  };
  const Certification certified = certified_by(testing::fake_check("whole", judge_case_whole),
                                               races, testing::every_manifest());
  ASSERT_EQ(certified.findings.size(), 1U);
  const Finding& finding = certified.findings[0];
  EXPECT_EQ(finding.diagnosis.hypothesis, "sporadic");
  EXPECT_THAT(finding.diagnosis.sentence,
              ::testing::ContainsRegex("wrong in [0-9]+ of [0-9]+ runs"));
  EXPECT_THAT(finding.replay, ::testing::ContainsRegex("# may pass: [0-9]+ of [0-9]+ runs failed"));
  EXPECT_TRUE(finding.before.empty());
}

TEST(Explain, FailuresThatReadAlikeAreExplainedOnce) {
  int diagnosed = 0;  // runs after the three failures were met
  const Mistake strays = [&](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    ++diagnosed;
    outcome.faults = {{.where = MemoryFault::Where::kGuard, .operand = "y", .byte = -4}};
  };
  static const Check kChecks[] = {testing::fake_check("first", judge_case_whole),
                                  testing::fake_check("second", judge_case_whole),
                                  testing::fake_check("third", judge_case_whole)};
  static const Generator kGenerators[] = {testing::fake_generator("one", [](Rng&, const Manifest&) {
    return parse_case("pass=fwd k=9 n=5 rows=7,3 seed=5").value();
  })};
  const Registry names{kChecks, kGenerators};
  const auto runs_of = [&](const char* checks) {
    diagnosed = 0;
    const auto profile = parse_profile(
        fmt::format("profile=p certifies=none\ncheck={} generator=one count=1 seed=1", checks), "p",
        names);
    CertifyOptions options;
    options.run.threads = 1;
    const auto certified =
        certify("fake", profile.value(), names, testing::open_fake(strays), options);
    EXPECT_EQ(certified->findings.size(), 1U);
    return diagnosed;
  };
  const int of_one = runs_of("first");
  // Two runs more to meet each of the others.
  EXPECT_EQ(runs_of("first,second,third"), of_one + 4);
}

// The folder for long sequences is not needed by a short one.
TEST(Explain, ASequenceNeedsNoTemporaryFolder) {
  ::setenv("TMPDIR", "/no/folder", 1);
  int processes = 0;  // in the first it fails at once
  const Mistake late = [&](const Problem&, const RunOptions&, Index run, Outcome& outcome) {
    processes += run == 0;
    if (processes == 1 || run >= 6) { spoil(outcome); }
  };
  const Certification certified = certified_within(0, late);
  ::unsetenv("TMPDIR");
  ASSERT_EQ(certified.findings.size(), 1U);
  EXPECT_EQ(certified.findings[0].diagnosis.hypothesis, "earlier_calls");
}

}  // namespace
}  // namespace assay
