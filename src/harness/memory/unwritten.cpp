#include "src/harness/memory/unwritten.h"

#include <cstring>

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

namespace {

// Elements that hold the poison of both runs, and the first of them.
struct Unwritten {
  Index first = 0, count = 0;
};
template <class Storage>
Unwritten find_unwritten(const Outcome& poison0, const Outcome& poison1, Format format) {
  const auto first_poison = static_cast<Storage>(unwritten_bits(format, 0));
  const auto second_poison = static_cast<Storage>(unwritten_bits(format, 1));
  const auto elements = static_cast<Index>(poison0.output.size() / sizeof(Storage));
  const std::byte *first = poison0.output.data(), *second = poison1.output.data();
  const auto holds = [&](Index element) {
    Storage one, other;
    std::memcpy(&one, first + element * static_cast<Index>(sizeof one), sizeof one);
    std::memcpy(&other, second + element * static_cast<Index>(sizeof other), sizeof other);
    return static_cast<int>(one == first_poison) & static_cast<int>(other == second_poison);
  };
  Unwritten found;
  for (Index element = 0; element < elements; ++element) { found.count += holds(element); }
  while (found.count > 0 && holds(found.first) == 0) { ++found.first; }
  return found;
}

Unwritten find_unwritten(const Outcome& poison0, const Outcome& poison1, Format format) {
  switch (size_bytes(format)) {
    case 1:
      return find_unwritten<std::uint8_t>(poison0, poison1, format);
    case 2:
      return find_unwritten<std::uint16_t>(poison0, poison1, format);
    default:
      return find_unwritten<std::uint32_t>(poison0, poison1, format);
  }
}

}  // namespace

std::optional<UnwrittenElement> first_unwritten(const Problem& problem, const Outcome& poison0,
                                                const Outcome& poison1) {
  if (problem.spec.acc > 0) { return std::nullopt; }
  const DenseOperand& output = problem.output();
  ASSAY_REQUIRE(poison0.output.size() == output.bits.size(), poison0.output.size());
  ASSAY_REQUIRE(poison1.output.size() == output.bits.size(), poison1.output.size());
  const Unwritten found = find_unwritten(poison0, poison1, output.format);
  if (found.count == 0) { return std::nullopt; }
  const ElementPlace place = place_in_output(problem, found.first);
  return UnwrittenElement{.operand = std::string(name(output_role(problem.spec.pass))),
                          .expert = place.expert,
                          .row = place.row,
                          .col = place.col,
                          .elements = found.count};
}

}  // namespace assay
