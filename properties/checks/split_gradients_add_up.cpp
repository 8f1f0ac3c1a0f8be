// The gradients of an expert's two halves add up to the gradient of the whole, exactly on exact
// data.
#include <algorithm>

#include <fmt/format.h>

#include "properties/generators/fit.h"
#include "properties/support/relation.h"
#include "src/problem/scales.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_pass(spec, manifest, passes_that_reduce_rows());
  spec.acc = 0;
  // Partial sums of this fill are integers that every output format holds, but for those of 8 bits
  // where the scales of the inputs let the integers grow.
  spec.fill = Fill::kSparse;
}

std::optional<std::string> not_applicable(const Manifest& manifest) {
  const auto reason = needs_wgrad(manifest);
  return reason ? reason : needs_two_experts(manifest);
}

bool is_exact_in_the_output(const CaseSpec& spec) {
  return !traits(spec.out).code || exact_scale_bits(spec) == 0;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun whole = run_and_judge(kernel, problem);
  Verdict& verdict = whole.verdict;
  if (!nothing_wrong(verdict) || !is_exact_in_the_output(spec)) { return verdict; }
  std::vector<Piece> halves;
  for (const Piece& piece : all_pieces(problem)) {
    const Index drawn = piece.count == 0 ? 0 : static_cast<Index>(spec.seed % (piece.count + 1));
    const Index cut = fit_cut(drawn, piece.count, manifest, cut_multiple(problem));
    halves.push_back({piece.source, 0, cut});
    halves.push_back({piece.source, cut, piece.count - cut});
  }
  const Problem split = with_pieces(problem, halves, manifest);
  const Outcome parts = kernel.run(split, {});
  if (!accept_outcome(verdict, split, manifest, parts)) { return verdict; }
  const DenseOperand& output = problem.output();
  const Index expert_bytes = output_bytes(problem, 0).count;
  const Index element_bytes = size_bytes(output.format);
  const auto value = [&](const std::vector<std::byte>& bits, Index byte) {
    return decode(output.format, load_bits(output.format, bits.data() + byte));
  };
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    for (Index byte = 0; byte < expert_bytes; byte += element_bytes) {
      const double sum = value(parts.output, 2 * expert * expert_bytes + byte) +
                         value(parts.output, (2 * expert + 1) * expert_bytes + byte);
      const double expected = value(whole.low.output, expert * expert_bytes + byte);
      if (sum == expected) { continue; }
      const Index element = byte / element_bytes;
      fail(verdict, Aspect::kRelation,
           fmt::format("the halves' gradients add up to {} instead of {}", sum, expected));
      verdict.worst = Entry{.expert = expert,
                            .row = element / output.cols,
                            .col = element % output.cols,
                            .got = sum,
                            .exact = expected};
      return verdict;
    }
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 70, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "tile_borders", .seed = 71, .quick = 8, .ci = 38, .peers = 26, .full = 128},
    {.generator = "scaled", .seed = 152, .quick = 6, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check split_gradients_add_up() {
  return {
      .name = "split_gradients_add_up",
      .summary =
          "The gradients of an expert's two halves add up to the gradient of the "
          "whole, exactly on exact data.",
      .guards_against = "rows at a group's border counted twice or not at all in dW (kinds E, I)",
      .advice =
          "The gradients of two halves of an expert do not sum to that of the whole. The "
          "reduction over rows drops or repeats some at the end of an expert.",
      .order = 170,
      .draws = kDraws,
      .not_applicable = not_applicable,
      .prepare = prepare,
      .run = run,
      .times_experts = 2};
}

}  // namespace assay
