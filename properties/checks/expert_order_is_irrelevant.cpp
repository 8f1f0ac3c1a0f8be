// Experts in another order, weights along, give the same rows and gradients.
#include <algorithm>

#include "properties/support/relation.h"

namespace assay {
namespace {

std::vector<Piece> choose(const Problem& problem, const Manifest&) {
  // A rotation and a swap: every expert moves, neighbours change.
  std::vector<Piece> pieces = all_pieces(problem);
  // clang 14 does not compile std::ranges::rotate.
  std::rotate(pieces.begin(),
              pieces.begin() + static_cast<Index>(problem.spec.seed % pieces.size()), pieces.end());
  std::swap(pieces.front(), pieces[pieces.size() / 2]);
  return pieces;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  return compare_pieces(kernel, spec, choose, "another order of the experts");
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 65, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "skewed", .seed = 66, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "conventions", .seed = 67, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "scaled", .seed = 150, .quick = 6, .ci = 36, .peers = 18, .full = 144},
};

}  // namespace

Check expert_order_is_irrelevant() {
  return {.name = "expert_order_is_irrelevant",
          .summary =
              "Experts in another order, weights along, give the same rows and "
              "gradients.",
          .guards_against =
              "an expert's constants, scales or halves taken from another index "
              "(kinds M, P)",
          .advice =
              "The result of an expert depends on which number it has. Look for expert 0 used as a "
              "default, for scales or descriptors indexed by tile instead of expert.",
          .order = 150,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = nullptr,
          .run = run};
}

}  // namespace assay
