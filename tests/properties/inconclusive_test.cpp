// What is judged after the numbers of a case that proves nothing is not lost.
#include <gtest/gtest.h>

#include "properties/support/case_run.h"
#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using testing::FakeSession;

// A right kernel's answer proves nothing there: a trivial one would be accepted, too. Sums of 16
// bits with little left of them are such.
std::optional<CaseSpec> inconclusive_case(std::uint64_t first_seed, std::uint64_t tries) {
  for (std::uint64_t seed = first_seed; seed < first_seed + tries; ++seed) {
    CaseSpec spec = parse_case("pass=fwd in=bf16 out=bf16 k=5 n=1 rows=1 fill=cancelling").value();
    spec.seed = seed;
    FakeSession right;
    if (judge_case_whole(right, spec).kind == VerdictKind::kInconclusive) { return spec; }
  }
  return std::nullopt;
}

// Every second run gives the neighbouring number, which the rule accepts as well.
void alternates(const Problem&, const RunOptions&, Index run, Outcome& outcome) {
  if (run % 2 == 1 && !outcome.output.empty()) { outcome.output[0] ^= std::byte{1}; }
}
void is_always_off(const Problem&, const RunOptions&, Index, Outcome& outcome) {
  if (!outcome.output.empty()) { outcome.output[0] ^= std::byte{1}; }
}

TEST(Inconclusive, BitsAreComparedAllTheSame) {
  Index compared = 0;
  for (std::uint64_t seed = 1; seed < 40000 && compared < 3; seed += 400) {
    const auto spec = inconclusive_case(seed, 400);
    if (!spec) { continue; }
    FakeSession off(is_always_off);
    if (judge_case_whole(off, *spec).kind != VerdictKind::kInconclusive) { continue; }
    ++compared;
    FakeSession session(alternates);
    const Verdict verdict = find_check("repeated_runs_give_the_same_bits")->run(session, *spec);
    EXPECT_EQ(verdict.kind, VerdictKind::kFailed) << canonical_text(*spec);
    EXPECT_TRUE(has_aspect(verdict.failed, Aspect::kNotRepeatable));
  }
  EXPECT_GT(compared, 0);
}

TEST(Inconclusive, MemoryIsLookedAtInEveryRun) {
  const auto spec = inconclusive_case(1, 40000);
  ASSERT_TRUE(spec.has_value());
  // In the last run of the check only, whose numbers prove as little as those before.
  FakeSession session([](const Problem&, const RunOptions&, Index run, Outcome& outcome) {
    if (run >= 5) { outcome.faults = {{.operand = "y", .byte = -4}}; }
  });
  const Verdict verdict = find_check("repeated_runs_give_the_same_bits")->run(session, *spec);
  EXPECT_EQ(verdict.kind, VerdictKind::kFailed);
  EXPECT_EQ(headline(verdict.failed), Aspect::kStrayWrite);
}

TEST(Inconclusive, OneTacticDoesNotHideTheOthers) {
  const auto spec = inconclusive_case(1, 40000);
  ASSERT_TRUE(spec.has_value());
  Manifest manifest = testing::every_manifest();
  manifest.tactics = {"first", "second"};
  FakeSession session(
      [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        if (problem.spec.tactic == "second") { outcome.output[1] ^= std::byte{0x40}; }
      },
      manifest);
  const Verdict verdict = find_check("every_tactic_passes")->run(session, *spec);
  EXPECT_EQ(verdict.kind, VerdictKind::kFailed);
  ASSERT_TRUE(verdict.inner.has_value());
  EXPECT_EQ(verdict.inner->tactic, "second");
}

}  // namespace
}  // namespace assay
