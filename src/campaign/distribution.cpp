#include "src/campaign/distribution.h"

#include "src/core/require.h"

namespace assay {

double Distribution::share(std::size_t number) const {
  return cases == 0 ? 0 : static_cast<double>(in_class[number]) / static_cast<double>(cases);
}

Profile even_profile(Index count, std::uint64_t seed) {
  Profile profile{.name = "even"};
  for (const Check& check : all_checks()) {
    for (const Generator& generator : all_generators()) {
      profile.lines.push_back({std::string(check.name), std::string(generator.name), count, seed});
    }
  }
  return profile;
}

Distribution distribution_of(const Profile& profile, const Manifest& manifest) {
  const auto classes = all_case_classes();
  Distribution drawn;
  drawn.in_class.resize(classes.size());
  const Registry names = every_name();
  for (const ProfileLine& line : profile.lines) {
    const Check* check = names.check(line.check);
    ASSAY_REQUIRE(check != nullptr, line.check);
    if (check->not_applicable(manifest)) { continue; }
    for (Index index = 0; index < line.count; ++index) {
      const CaseSpec spec = case_of_line(profile, line, names, manifest, index);
      ++drawn.cases;
      for (std::size_t number = 0; number < classes.size(); ++number) {
        drawn.in_class[number] += classes[number].holds(spec) ? 1 : 0;
      }
    }
  }
  return drawn;
}

}  // namespace assay
