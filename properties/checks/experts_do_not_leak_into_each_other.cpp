// NaN in every other expert's rows and weights leaves an expert's result as it was.
#include <algorithm>
#include <limits>

#include "properties/support/relation.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  if (has_special_values(spec.fill)) { spec.fill = Fill::kNormal; }
  // What two experts share cannot be poisoned for one of them.
  spec.pointers = std::min(spec.pointers, Pointers::kScattered);
}

// Elements of formats without NaN change their sign: exact sums stay exact.
void poison_rows(DenseOperand& operand, Index first, Index count) {
  const bool has_nan = traits(operand.format).has_nan;
  for (Index row = first; row < first + count; ++row) {
    for (Index col = 0; col < operand.cols; ++col) {
      std::byte* const element = operand.element(row, col);
      const double value = has_nan ? std::numeric_limits<double>::quiet_NaN()
                                   : -decode(operand.format, load_bits(operand.format, element));
      store_bits(operand.format, element, encode(operand.format, value));
    }
  }
}

// Not the one that all experts share.
void poison_scales(DenseScales& scales, Index expert) {
  if (!scales.present() || scales.shared) { return; }
  const std::uint32_t nan = traits(scales.format).nan;
  for (Index row = scales.first[expert]; row < scales.first[expert + 1]; ++row) {
    for (Index col = 0; col < scales.cols; ++col) { scales.store(row, col, nan); }
  }
  if (scales.tensors > 0 && !scales.jagged) {
    scales.tensor_scales[static_cast<std::size_t>(expert)] =
        std::numeric_limits<float>::quiet_NaN();
  }
}

Problem poisoned_but(const Problem& problem, Index kept) {
  Problem result = problem;
  const Index weight_rows = result.operands.w.rows / result.spec.experts();
  for (Index expert = 0; expert < result.spec.experts(); ++expert) {
    if (expert == kept) { continue; }
    const Index first = result.dense_starts[expert];
    if (result.spec.bias) { poison_rows(result.bias, expert, 1); }
    for (const Role role : kAllRoles) {
      if (!operation(result.spec.pass).reads(role)) { continue; }
      const bool weights = role == Role::kW;
      poison_scales(result.scales[role], expert);
      poison_rows(result.operands[role], weights ? expert * weight_rows : first,
                  weights ? weight_rows : result.spec.rows[expert]);
    }
  }
  return result;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun clean = run_and_judge(kernel, problem);
  Verdict& verdict = clean.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  // The first expert that has rows from a seeded place on; with none, any.
  Index kept = static_cast<Index>(spec.seed % spec.rows.size());
  for (Index tried = 0; tried < spec.experts() && spec.rows[kept] == 0; ++tried) {
    kept = (kept + 1) % spec.experts();
  }
  const Problem poisoned = poisoned_but(problem, kept);
  const Outcome outcome = kernel.run(poisoned, {});
  if (!accept_outcome(verdict, poisoned, manifest, outcome)) { return verdict; }
  if (!same_case_repeats_bits(manifest, spec)) { return verdict; }
  const Piece piece{kept, 0, spec.rows[kept]};
  const auto was = piece_bits(problem, clean.low.output, piece);
  const auto is = piece_bits(poisoned, outcome.output, piece);
  const Problem alone = with_pieces(problem, {piece}, manifest);
  if (!require_same_bits(verdict, alone, was, is, "NaN in the other experts", Aspect::kRelation)) {
    verdict.worst->expert = kept;
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 62, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "skewed", .seed = 63, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "tile_borders", .seed = 64, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "scaled", .seed = 149, .quick = 9, .ci = 36, .peers = 18, .full = 144},
};

}  // namespace

Check experts_do_not_leak_into_each_other() {
  return {.name = "experts_do_not_leak_into_each_other",
          .summary =
              "NaN in every other expert's rows and weights leaves an expert's result as "
              "it was.",
          .guards_against =
              "a NaN row that corrupts valid rows of its tile, or is contracted into a "
              "neighbour's dW (kind E)",
          .advice =
              "Changing one expert's operands changed another's result. Look at the search for the "
              "expert of a tile and at tiles that straddle a border.",
          .order = 140,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
