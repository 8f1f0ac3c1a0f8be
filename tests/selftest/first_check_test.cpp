// The check that is said to catch a defect is run first; where it does not, the others are, too.
#include <gtest/gtest.h>

#include "src/selftest/selftest.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

Verdict finds_nothing(Session&, const CaseSpec&) { return {.kind = VerdictKind::kPassed}; }
Verdict finds_it(Session&, const CaseSpec&) {
  return {.kind = VerdictKind::kFailed, .reason = "wrong", .runs = 1};
}

DefectResult result_of(const std::string& first) {
  const Check checks[] = {testing::fake_check("early", finds_it),
                          testing::fake_check("blind", finds_nothing),
                          testing::fake_check("late", finds_it)};
  const Generator generators[] = {testing::fake_generator("small", testing::draw_small)};
  const Registry names{checks, generators};
  const auto profile = parse_profile(
      "profile=p device=any certifies=none\ncheck=early,blind generator=small count=3 seed=1\n"
      "check=late generator=small count=3 seed=1",
      "p", names);
  SelftestOptions options;
  options.certify.run.threads = 1;
  options.certify.explain = false;
  const Defect defect{.name = "d", .kind = "A", .sentence = "s", .plugin = "p", .first = first};
  DefectResult result;
  // A finding points to its check, which ends with this function.
  options.done = [&](const DefectResult& done) {
    result.right = done.right;
    result.first_missed = done.first_missed;
    result.problem = done.findings.empty() ? "" : std::string(done.findings[0].check->name);
  };
  EXPECT_TRUE(run_selftest(
      {defect}, profile.value(), names, [](const std::string&) { return testing::open_fake(); },
      options));
  return result;
}

void expect(const DefectResult& result, const std::string& by, bool missed) {
  EXPECT_TRUE(result.right);
  EXPECT_EQ(result.problem, by);
  EXPECT_EQ(result.first_missed, missed);
}

TEST(FirstCheck, CatchesBeforeTheOthersDo) {
  expect(result_of(""), "early", false);
  expect(result_of("late"), "late", false);
}

TEST(FirstCheck, ThatCatchesNothingLeavesItToTheOthers) {
  expect(result_of("blind"), "early", true);
}

TEST(FirstCheck, ThatTheProfileDoesNotHaveIsNotRun) { expect(result_of("absent"), "early", false); }

}  // namespace
}  // namespace assay
