// Empty experts put at the front, in the middle and at the end change no other expert's result.
#include <algorithm>

#include "properties/support/relation.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  // An inserted expert's gradient is +0 and has no counterpart: the oracle judges it.
  use_pass(spec, manifest, passes_with_output_rows());
}

std::vector<Piece> choose(const Problem& problem) {
  std::vector<Piece> pieces;
  const Index experts = problem.spec.experts();
  const auto empties = [&](Index count) {
    for (Index i = 0; i < count; ++i) { pieces.push_back({i % experts, 0, 0}); }
  };
  empties(1 + static_cast<Index>(problem.spec.seed % 3));
  for (const Piece& piece : all_pieces(problem)) {
    pieces.push_back(piece);
    if (piece.source == experts / 2) { empties(1 + static_cast<Index>(problem.spec.seed % 35)); }
  }
  empties(2);
  return pieces;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  return compare_pieces(kernel, spec, choose, "inserted empty experts");
}

}  // namespace

Check inserting_empty_experts_changes_nothing() {
  return {.name = "inserting_empty_experts_changes_nothing",
          .sentence =
              "Empty experts put at the front, in the middle and at the end "
              "change no other expert's result.",
          .field_bug =
              "prefix sums and walks that stumble over runs of equal offsets "
              "(kinds B, F, U)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
