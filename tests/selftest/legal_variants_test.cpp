// Legal variants: a profile of few cases may prove nothing of one, a whole one may not.
#include <gtest/gtest.h>

#include "src/selftest/selftest.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

Verdict passes(Session&, const CaseSpec&) { return {.kind = VerdictKind::kPassed, .runs = 1}; }
Verdict proves_nothing(Session&, const CaseSpec&) {
  return {.kind = VerdictKind::kInconclusive, .reason = "a wide bound", .runs = 1};
}
Verdict is_not_run(Session&, const CaseSpec&) {
  return {.kind = VerdictKind::kNotRun, .reason = "no memory"};
}
Verdict accuses(Session&, const CaseSpec&) {
  return {.kind = VerdictKind::kFailed, .reason = "wrong", .runs = 1};
}

bool accepted(Verdict (*second)(Session&, const CaseSpec&), bool may_prove_nothing) {
  const Check checks[] = {testing::fake_check("passes", passes),
                          testing::fake_check("second", second)};
  const Generator generators[] = {testing::fake_generator("small", testing::draw_small)};
  const Registry names{checks, generators};
  const auto profile = parse_profile(
      "profile=p device=any certifies=none\ncheck=passes generator=small count=3 seed=1\n"
      "check=second generator=small count=3 seed=1",
      "p", names);
  SelftestOptions options;
  options.legal = true;
  options.may_prove_nothing = may_prove_nothing;
  options.certify.run.threads = 1;
  const Defect variant{.name = "v", .kind = "legal", .sentence = "s", .plugin = "p", .legal = true};
  const auto results = run_selftest(
      {variant}, profile.value(), names, [](const std::string&) { return testing::open_fake(); },
      options);
  return results.value().front().right;
}

TEST(LegalVariants, AreAcceptedOfFewCasesThatProveNothing) {
  EXPECT_TRUE(accepted(passes, true));
  EXPECT_TRUE(accepted(proves_nothing, true));
  EXPECT_FALSE(accepted(proves_nothing, false));
  EXPECT_FALSE(accepted(is_not_run, true));
  EXPECT_FALSE(accepted(accuses, true));
}

}  // namespace
}  // namespace assay
