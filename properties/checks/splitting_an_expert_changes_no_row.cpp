// An expert split in two with the same weights gives the same rows.
#include <algorithm>

#include "properties/generators/fit.h"
#include "properties/support/relation.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_pass(spec, manifest, passes_with_output_rows());
}

std::vector<Piece> choose(const Problem& problem, const Manifest& manifest) {
  std::vector<Piece> pieces = all_pieces(problem);
  const auto largest = std::ranges::max_element(pieces, {}, &Piece::count);
  Piece rest = *largest;
  const Index drawn =
      rest.count > 1 ? 1 + static_cast<Index>(problem.spec.seed % (rest.count - 1)) : 0;
  const Index cut = fit_cut(drawn, rest.count, manifest, cut_multiple(problem));
  largest->count = cut;
  rest.first = cut;
  rest.count -= cut;
  pieces.insert(largest + 1, rest);
  return pieces;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  return compare_pieces(kernel, spec, choose, "a split expert");
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 68, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "tile_borders", .seed = 69, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "scaled", .seed = 151, .quick = 6, .ci = 36, .peers = 18, .full = 144},
};

}  // namespace

Check splitting_an_expert_changes_no_row() {
  return {.name = "splitting_an_expert_changes_no_row",
          .summary =
              "An expert split in two with the same weights gives the same "
              "rows.",
          .guards_against =
              "rows at a tile border that belong to the wrong group (kinds I, "
              "P)",
          .advice =
              "Rows of one expert cut into two with the same weights gave other results. Look at "
              "tiles that begin at an expert's first row, and at rows that are not aligned.",
          .order = 160,
          .draws = kDraws,
          .not_applicable = needs_two_experts,
          .prepare = prepare,
          .run = run,
          .times_experts = 1};
}

}  // namespace assay
