#include "src/problem/convention.h"

#include <iterator>

#include "src/core/require.h"
#include "src/problem/conventions/rows.h"

namespace assay {
namespace {

#define ASSAY_ROW(NAME, ABI) &k##NAME##Traits,
constexpr const ConventionTraits* kRows[] = {ASSAY_CONVENTIONS(ASSAY_ROW)};
#undef ASSAY_ROW
static_assert(std::size(kRows) == std::size(kAllConventions));

}  // namespace

const ConventionTraits& traits(Convention convention) {
  const auto index = static_cast<std::size_t>(convention);
  ASSAY_REQUIRE(index < std::size(kRows), index);
  return *kRows[index];
}

bool may_be_told(Convention truth, Convention told) {
  return truth == told || (!traits(truth).by_pointers && traits(told).needs.empty());
}

std::string names_of_conventions(bool (*holds)(const ConventionTraits& row)) {
  std::vector<std::string_view> names;
  for (const Convention convention : kAllConventions) {
    if (holds(traits(convention))) { names.push_back(name(convention)); }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) { text += i + 1 == names.size() ? " and " : ", "; }
    text += names[i];
  }
  return text;
}

}  // namespace assay
