#include "properties/support/relation.h"

#include <utility>

namespace assay {

std::vector<std::byte> piece_bits(const Problem& problem, const std::vector<std::byte>& output,
                                  const Piece& piece) {
  ByteRange range = output_bytes(problem, piece.source);
  if (!reduces_rows(problem.spec.pass)) {
    const Index row_bytes = problem.output().cols * size_bytes(problem.output().format);
    range.first += piece.first * row_bytes;
    range.count = piece.count * row_bytes;
  }
  return {output.begin() + range.first, output.begin() + range.first + range.count};
}

std::optional<std::string> needs_two_experts(const Manifest& manifest) {
  if (manifest.max_experts != 1) { return std::nullopt; }
  return "the manifest declares one expert at most";
}

Verdict compare_pieces(Session& kernel, const CaseSpec& spec,
                       std::vector<Piece> (*choose)(const Problem& problem,
                                                    const Manifest& manifest),
                       const std::string& what) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun original = run_and_judge(kernel, problem);
  Verdict& verdict = original.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  const std::vector<Piece> pieces = choose(problem, manifest);
  const Problem changed = with_pieces(problem, pieces, manifest);
  const Outcome outcome = kernel.run(changed, {.placement = Placement::kHigh, .poison = 1});
  if (!accept_outcome(verdict, changed, manifest, outcome)) { return verdict; }
  if (!rows_repeat_bits(manifest, spec)) { return verdict; }
  // Both sides in the order of the changed problem, so that a difference is named in its experts.
  std::vector<std::byte> expected;
  std::vector<std::byte> got;
  for (Index expert = 0; expert < std::ssize(pieces); ++expert) {
    const Piece& piece = pieces[expert];
    const bool whole = piece.count == problem.spec.rows[piece.source];
    if (reduces_rows(spec.pass) && !whole) { return verdict; }
    const auto was = piece_bits(problem, original.low.output, piece);
    const auto is = piece_bits(changed, outcome.output, {expert, 0, piece.count});
    expected.insert(expected.end(), was.begin(), was.end());
    got.insert(got.end(), is.begin(), is.end());
  }
  require_same_bits(verdict, changed, expected, got, what, Aspect::kRelation);
  return verdict;
}

}  // namespace assay
