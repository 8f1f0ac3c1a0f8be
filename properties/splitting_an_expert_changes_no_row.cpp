// An expert split in two with the same weights gives the same rows.
#include <algorithm>

#include "properties/support/relation.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_pass(spec, manifest, passes_with_output_rows());
}

std::vector<Piece> choose(const Problem& problem) {
  std::vector<Piece> pieces = all_pieces(problem);
  const auto largest = std::ranges::max_element(pieces, {}, &Piece::count);
  Piece rest = *largest;
  const Index cut =
      rest.count > 1 ? 1 + static_cast<Index>(problem.spec.seed % (rest.count - 1)) : 0;
  largest->count = cut;
  rest.first = cut;
  rest.count -= cut;
  pieces.insert(largest + 1, rest);
  return pieces;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  return compare_pieces(kernel, spec, choose, "a split expert");
}

}  // namespace

Check splitting_an_expert_changes_no_row() {
  return {.name = "splitting_an_expert_changes_no_row",
          .sentence =
              "An expert split in two with the same weights gives the same "
              "rows.",
          .field_bug =
              "rows at a tile border that belong to the wrong group (kinds I, "
              "P)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
