// Shrinking and explaining within a time.
#include <gtest/gtest.h>

#include "properties/support/case_run.h"
#include "src/certify/certify.h"
#include "src/problem/case_text.h"
#include "tests/certify/fake_kernel.h"

namespace assay {
namespace {

Certification certified_within(double explain_seconds) {
  static const Check kChecks[] = {testing::fake_check("whole", judge_case_whole)};
  static const Generator kGenerators[] = {testing::fake_generator("one", [](Rng&, const Manifest&) {
    return parse_case("pass=fwd k=9 n=5 rows=7,3 seed=5").value();
  })};
  const BatteryNames names{kChecks, kGenerators};
  const auto profile = parse_profile(
      "profile=p device=any certifies=none\ncheck=whole generator=one count=1 seed=1", "p", names);
  const auto open =
      testing::open_fake([](const Problem&, const RunOptions&, Index, Outcome& outcome) {
        if (!outcome.output.empty()) outcome.output[0] ^= std::byte{0x40};
      });
  CertifyOptions options;
  options.run.threads = 1;
  options.explain_seconds = explain_seconds;
  return certify("fake", profile.value(), names, open, options).value();
}

TEST(Explain, FailuresThatCannotBeExplainedInTimeStayAsTheyWereMet) {
  const Certification explained = certified_within(0);
  ASSERT_EQ(explained.findings.size(), 1U);
  EXPECT_GT(explained.findings[0].shrink_tries, 0);
  const Certification late = certified_within(1e-9);
  ASSERT_EQ(late.findings.size(), 1U);
  EXPECT_EQ(late.findings[0].shrink_tries, 0);
  EXPECT_EQ(late.findings[0].shrunk, late.findings[0].original);
}

}  // namespace
}  // namespace assay
