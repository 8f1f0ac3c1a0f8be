// Empty experts put at the front, in the middle and at the end change no other expert's result.
#include <algorithm>
#include <limits>

#include "properties/support/relation.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  // An inserted expert's gradient is +0 and has no counterpart: the oracle judges it.
  use_pass(spec, manifest, passes_with_output_rows());
}

std::vector<Piece> choose(const Problem& problem, const Manifest& manifest) {
  std::vector<Piece> pieces;
  const Index experts = problem.spec.experts();
  // A case that leaves no room is refused with one more.
  Index room = manifest.max_experts > 0 ? std::max<Index>(1, manifest.max_experts - experts)
                                        : std::numeric_limits<Index>::max();
  const auto empties = [&](Index count) {
    for (Index i = 0; i < count && room > 0; ++i, --room) { pieces.push_back({i % experts, 0, 0}); }
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

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 72, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "conventions", .seed = 73, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "many_experts", .seed = 123, .ci = 24, .peers = 14, .full = 72},
    {.generator = "scaled", .seed = 153, .quick = 6, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check inserting_empty_experts_changes_nothing() {
  return {.name = "inserting_empty_experts_changes_nothing",
          .summary =
              "Empty experts put at the front, in the middle and at the end "
              "change no other expert's result.",
          .guards_against =
              "prefix sums and walks that stumble over runs of equal offsets "
              "(kinds B, F, U)",
          .advice =
              "An expert without rows shifted the others. Search by the exclusive end: several "
              "experts may end at the same row.",
          .order = 180,
          .draws = kDraws,
          .not_applicable = needs_two_experts,
          .prepare = prepare,
          .run = run,
          .times_experts = 1};
}

}  // namespace assay
