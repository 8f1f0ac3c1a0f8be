// An expert computed alone gives the rows that it gives among the others.
#include <algorithm>

#include "properties/support/relation.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_pass(spec, manifest, passes_with_output_rows());
}

std::vector<Piece> choose(const Problem& problem, const Manifest&) {
  // The largest and one chosen expert, without the rest of the batch.
  const std::vector<Piece> all = all_pieces(problem);
  std::vector<Piece> pieces = {*std::ranges::max_element(all, {}, &Piece::count)};
  const Piece& other = all[problem.spec.seed % all.size()];
  if (other.source != pieces.front().source) { pieces.push_back(other); }
  return pieces;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  return compare_pieces(kernel, spec, choose, "the expert alone");
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 76, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "tile_borders", .seed = 77, .quick = 8, .ci = 38, .peers = 26, .full = 128},
    {.generator = "scaled", .seed = 155, .quick = 6, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check rows_do_not_depend_on_the_batch() {
  return {.name = "rows_do_not_depend_on_the_batch",
          .summary =
              "An expert computed alone gives the rows that it gives among the "
              "others.",
          .guards_against =
              "results that change with the other requests of a batch (kinds E, "
              "H, S)",
          .advice =
              "A row's bits changed with the other rows although batch_invariant is declared. A "
              "tactic or a split was chosen from the batch; fix it or do not declare it.",
          .order = 200,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
