#include "src/harness/memory/unwritten.h"

#include <fmt/format.h>

#include "src/core/require.h"
#include "src/harness/judge/element_place.h"
#include "src/harness/memory/poison.h"

namespace assay {

std::string describe(const UnwrittenElement& element) {
  const bool one = element.elements == 1;
  return fmt::format("{} element{} of {} {} never written, first row {} column {} of expert {}",
                     element.elements, one ? "" : "s", element.operand, one ? "was" : "were",
                     element.row, element.col, element.expert);
}

std::optional<UnwrittenElement> first_unwritten(const Problem& problem, const Outcome& poison0,
                                                const Outcome& poison1) {
  if (problem.spec.acc > 0) { return std::nullopt; }
  const DenseOperand& output = problem.output();
  ASSAY_REQUIRE(poison0.output.size() == output.bits.size(), poison0.output.size());
  ASSAY_REQUIRE(poison1.output.size() == output.bits.size(), poison1.output.size());
  const std::uint32_t first_poison = unwritten_bits(output.format, 0);
  const std::uint32_t second_poison = unwritten_bits(output.format, 1);
  const Index element_bytes = size_bytes(output.format);
  const Index elements = output.rows * output.cols;
  std::optional<UnwrittenElement> found;
  for (Index element = 0; element < elements; ++element) {
    const Index at = element * element_bytes;
    if (load_bits(output.format, poison0.output.data() + at) != first_poison ||
        load_bits(output.format, poison1.output.data() + at) != second_poison) {
      continue;
    }
    if (!found) {
      const ElementPlace place = place_in_output(problem, element);
      found = UnwrittenElement{.operand = std::string(name(output_role(problem.spec.pass))),
                               .expert = place.expert,
                               .row = place.row,
                               .col = place.col};
    }
    ++found->elements;
  }
  return found;
}

}  // namespace assay
