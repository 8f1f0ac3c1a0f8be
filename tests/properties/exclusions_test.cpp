// What becomes of a case that the manifest excludes.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/check.h"
#include "properties/support/case_run.h"
#include "tests/campaign/fake_kernel.h"
#include "tests/problem/parsed.h"

namespace assay {
namespace {

using testing::FakeSession;
using ::testing::HasSubstr;

FakeSession::Mistake ends(RunStatus status) {
  return [status](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    outcome.status = status;
  };
}

void zeroes_all(const Problem&, const RunOptions&, Index, Outcome& outcome) {
  std::ranges::fill(outcome.output, std::byte{0});
}

Verdict verdict_on(std::string_view line, const FakeSession::Mistake& mistake) {
  Manifest manifest = testing::every_manifest();
  manifest.row_multiple = 4;
  for (OffsetsKind& kind : manifest.offsets) {
    if (kind.convention == Convention::kCounts) {
      kind = {Convention::kCounts, IndexType::kI64, OffsetsPlace::kHost};
    }
  }
  FakeSession kernel(mistake, manifest);
  return judge_case_whole(kernel, parsed(line));
}

constexpr std::string_view kBroken = "pass=fwd in=fp32 k=8 n=4 rows=2,0,3 seed=3";

TEST(ExcludedCases, WhatIsAnsweredIsNotJudgedWhereOnlyOffsetsTell) {
  for (const auto& mistake :
       {FakeSession::Mistake(zeroes_all), ends(RunStatus::kError), ends(RunStatus::kCrashed)}) {
    const Verdict verdict = verdict_on(kBroken, mistake);
    EXPECT_EQ(verdict.kind, VerdictKind::kUnsupported);
    EXPECT_TRUE(verdict.failed.empty());
    EXPECT_THAT(verdict.reason, HasSubstr("row_multiple 4"));
  }
}

TEST(ExcludedCases, MayBeRefused) {
  const Verdict verdict = verdict_on(kBroken, ends(RunStatus::kUnsupported));
  EXPECT_EQ(verdict.kind, VerdictKind::kUnsupported);
  EXPECT_THAT(verdict.reason, HasSubstr("refused as the manifest says"));
}

TEST(ExcludedCases, WhatIsAnsweredIsJudgedWhereTheCallTells) {
  const std::string on_host = std::string(kBroken) + " offsets=counts:i64:host";
  EXPECT_EQ(verdict_on(on_host, zeroes_all).kind, VerdictKind::kFailed);
  const std::string with_gaps = "pass=fwd in=fp32 k=8 n=4 rows=2,0,3 offsets=starts pad=4 seed=3";
  EXPECT_EQ(verdict_on(with_gaps, zeroes_all).kind, VerdictKind::kFailed);
}

void fails_on_broken_rows(const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
  const bool broken =
      std::ranges::any_of(problem.spec.rows, [](Index rows) { return rows % 4 != 0; });
  if (broken) { outcome.status = RunStatus::kError; }
}

TEST(ExcludedCases, AreNotWhatMemoryIsDirtiedWith) {
  Manifest manifest = testing::every_manifest();
  manifest.row_multiple = 4;
  manifest.offsets = {{Convention::kCounts, IndexType::kI64, OffsetsPlace::kHost}};
  FakeSession kernel(fails_on_broken_rows, manifest);
  const Verdict verdict =
      find_check("dirty_memory_changes_nothing")
          ->run(kernel,
                parsed("pass=fwd in=fp32 k=8 n=4 rows=4,0,8 offsets=counts:i64:host seed=3"));
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed) << verdict.reason;
}

}  // namespace
}  // namespace assay
