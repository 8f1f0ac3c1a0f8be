// Experts in another order, weights along, give the same rows and gradients.
#include <algorithm>

#include "properties/support/relation.h"

namespace assay {
namespace {

std::vector<Piece> choose(const Problem& problem) {
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

}  // namespace

Check expert_order_is_irrelevant() {
  return {.name = "expert_order_is_irrelevant",
          .sentence =
              "Experts in another order, weights along, give the same rows and "
              "gradients.",
          .field_bug =
              "an expert's constants, scales or halves taken from another index "
              "(kinds M, P)",
          .not_applicable = always_applies,
          .prepare = nullptr,
          .run = run};
}

}  // namespace assay
