// What the property tests and profile ci draw reaches every class that kernels break on.
#include "src/campaign/distribution.h"

#include <gtest/gtest.h>

#include "src/kernels/registry.h"

namespace assay {
namespace {

constexpr double kLeastShare = 0.01;

Manifest cpu_manifest() {
  const auto kernel = load_kernel("cpu");
  return kernel ? kernel->manifest : Manifest{};
}

void expect_every_class(const Profile& profile) {
  const Distribution drawn = distribution_of(profile, cpu_manifest());
  EXPECT_GE(drawn.cases, 3000);
  const auto classes = all_case_classes();
  for (std::size_t number = 0; number < classes.size(); ++number) {
    EXPECT_GE(drawn.share(number), kLeastShare)
        << profile.name << ": " << classes[number].group << ": " << classes[number].name << ": "
        << drawn.in_class[number] << " of " << drawn.cases;
  }
}

TEST(Distribution, PropertyTestsDrawEveryClass) { expect_every_class(even_profile(10, 1)); }

TEST(Distribution, ProfileCiDrawsEveryClass) {
  const auto profile = load_profile("ci", every_name());
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  expect_every_class(*profile);
}

TEST(Distribution, CountsEachCaseInItsClasses) {
  Profile one{.name = "one"};
  one.lines.push_back({"exact_integers_match_bitwise", "long_reduction", 40, 1});
  const Distribution drawn = distribution_of(one, cpu_manifest());
  EXPECT_EQ(drawn.cases, 40);
  Index passes = 0;
  const auto classes = all_case_classes();
  for (std::size_t number = 0; number < classes.size(); ++number) {
    if (classes[number].group == "pass") { passes += drawn.in_class[number]; }
  }
  EXPECT_EQ(passes, 40);
}

}  // namespace
}  // namespace assay
