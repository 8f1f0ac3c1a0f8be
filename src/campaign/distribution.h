// What a profile draws for a kernel: how many of its cases are in each class.
#pragma once

#include <vector>

#include "properties/generators/case_class.h"
#include "src/campaign/profile.h"
#include "src/contract/manifest.h"

namespace assay {

struct Distribution {
  Index cases = 0;
  std::vector<Index> in_class;  // one a class of all_case_classes()

  double share(std::size_t number) const;  // 0 of no cases
};

// Every check with `count` cases of every generator: the mixture that property tests draw from.
Profile even_profile(Index count, std::uint64_t seed);

// Draws every case of the profile for checks that apply to the manifest; runs nothing. Requires:
// names of the profile are known.
Distribution distribution_of(const Profile& profile, const Manifest& manifest);

}  // namespace assay
