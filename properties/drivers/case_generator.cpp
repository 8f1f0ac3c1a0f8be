#include "properties/drivers/case_generator.h"

#include <utility>
#include <vector>

#include "properties/generators/generator.h"
#include "src/problem/shrink.h"

namespace assay {

rc::Gen<CaseSpec> any_case(const Check& check, const Manifest& manifest) {
  const auto draw = [check, manifest](const rc::Random& random, int) {
    rc::Random source = random;
    const auto generators = all_generators();
    const Generator& generator = generators[source.next() % generators.size()];
    constexpr std::uint64_t kKinds = 1000;  // more than any generator or check enumerates
    const auto index = static_cast<Index>(source.next() % kKinds);
    CaseSpec spec = nth_case(generator, check, manifest, source.next(), index);
    return rc::shrinkable::shrinkRecur(std::move(spec), [](const CaseSpec& failing) {
      return rc::seq::fromContainer(shrink_candidates(failing));
    });
  };
  return rc::Gen<CaseSpec>(draw);
}

}  // namespace assay
