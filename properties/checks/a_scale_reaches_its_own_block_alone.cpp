// Another scale of one block changes what is computed with that block, and not one bit elsewhere.
// Other checks change all scales of an operand or of an expert at once.
#include <algorithm>

#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  if (has_special_values(spec.fill)) { spec.fill = Fill::kNormal; }
  // A scale that two experts share reaches both.
  spec.pointers = std::min(spec.pointers, Pointers::kScattered);
}

std::optional<std::string> needs_scales(const Manifest& manifest) {
  const auto scaled = [&](Pass pass) { return manifest.has_scales(pass); };
  if (std::ranges::any_of(manifest.passes, scaled)) { return std::nullopt; }
  return "the kernel takes no scales";
}

struct Block {
  Role role = Role::kX;
  Index expert = 0, row = 0, col = 0;  // of the expert's blocks
  bool tensor = false;                 // the scale of the expert's tensor instead
};

// One of the blocks of an expert that has rows, by the case's seed; the left operand's, if it has
// scales, in every other case. Where each expert's tensor has a scale, that in every third one.
std::optional<Block> choose(const Problem& problem) {
  const CaseSpec& spec = problem.spec;
  const Operation& op = operation(spec.pass);
  std::vector<Block> blocks;
  const Role first = spec.seed % 2 == 0 ? op.a.role : op.b.role;
  const Role second = first == op.a.role ? op.b.role : op.a.role;
  const Role role = problem.scales[first].present() ? first : second;
  const DenseScales& scales = problem.scales[role];
  if (!scales.present() || scales.shared) { return std::nullopt; }
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    if (spec.rows[expert] == 0) { continue; }
    for (Index row = scales.first[expert]; row < scales.first[expert + 1]; ++row) {
      for (Index col = 0; col < scales.cols; ++col) {
        blocks.push_back({role, expert, row - scales.first[expert], col});
      }
    }
  }
  if (blocks.empty()) { return std::nullopt; }
  Block block = blocks[spec.seed / 2 % blocks.size()];
  block.tensor = scales.tensors > 0 && !scales.jagged && spec.seed % 3 == 0;
  return block;
}

// Twice the scale, or half of it where twice is too large.
bool change(DenseScales& scales, const Block& block) {
  if (block.tensor) {
    float& scale = scales.tensor_scales[static_cast<std::size_t>(block.expert)];
    if (!(scale >= 0x1p-60F && scale <= 0x1p60F)) { return false; }
    scale *= 2;
    return true;
  }
  const Index row = scales.first[block.expert] + block.row;
  const double value = decode(scales.format, scales.load(row, block.col));
  const double largest = scales.format == ScaleFormat::kE4m3 ? 128 : 0x1p60;
  if (!(value >= 0x1p-5 && value <= 2 * largest)) { return false; }
  scales.store(row, block.col, encode(scales.format, value <= largest ? 2 * value : value / 2));
  return true;
}

// Which lines of the expert's output, along m or n, the block is multiplied into.
struct Reach {
  bool along_m = true;
  Index first = 0, end = 0;

  bool has(Index m, Index n) const {
    const Index line = along_m ? m : n;
    return line >= first && line < end;
  }
};

Reach reach_of(const Problem& problem, const Block& block) {
  const Operation& op = operation(problem.spec.pass);
  const DenseScales& scales = problem.scales[block.role];
  const bool left = block.role == op.a.role;
  const FactorRole& factor = left ? op.a : op.b;
  // The operand's own axis across: the rows of A, the columns of B.
  const bool by_rows = left != factor.transposed;
  const Index size = by_rows ? scales.block_rows : scales.block_cols;
  const Index number = by_rows ? block.row : block.col;
  constexpr Index kAll = Index{1} << 40;
  const bool all = size == 0 || block.tensor;
  return {
      .along_m = left, .first = all ? 0 : number * size, .end = all ? kAll : (number + 1) * size};
}

// The first element out of reach whose bits differ.
std::optional<Entry> changed_elsewhere(const Problem& problem, const Block& block,
                                       const std::vector<std::byte>& was,
                                       const std::vector<std::byte>& is) {
  const CaseSpec& spec = problem.spec;
  const DenseOperand& output = problem.output();
  const Reach reach = reach_of(problem, block);
  const bool planes = output_role(spec.pass) == Role::kW;
  const bool turned = planes && spec.weights == WeightsLayout::kEnk;  // stored as [n, k]
  const Index plane_rows = planes ? output.rows / spec.experts() : 0;
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    const Index first = planes ? expert * plane_rows : problem.dense_starts[expert];
    const Index end = planes ? first + plane_rows : problem.dense_starts[expert + 1];
    for (Index row = first; row < end; ++row) {
      for (Index col = 0; col < output.cols; ++col) {
        const Index m = turned ? col : row - first, n = turned ? row - first : col;
        if (expert == block.expert && reach.has(m, n)) { continue; }
        const Index at = (row * output.cols + col) * size_bytes(output.format);
        const std::uint32_t before = load_bits(output.format, was.data() + at);
        const std::uint32_t after = load_bits(output.format, is.data() + at);
        if (before == after) { continue; }
        return Entry{.expert = expert,
                     .row = m,
                     .col = n,
                     .got_bits = after,
                     .exact_bits = before,
                     .got = decode(output.format, after),
                     .exact = decode(output.format, before)};
      }
    }
  }
  return std::nullopt;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun once = run_and_judge(kernel, problem);
  Verdict& verdict = once.verdict;
  const std::optional<Block> block = choose(problem);
  if (!nothing_wrong(verdict) || !block) { return verdict; }
  Problem other = problem;
  if (!change(other.scales[block->role], *block)) {
    return verdict;  // judged by the oracle all the same
  }
  const Outcome outcome = kernel.run(other, {});
  if (!accept_outcome(verdict, other, manifest, outcome)) { return verdict; }
  if (!same_case_repeats_bits(manifest, spec)) { return verdict; }
  if (const auto entry = changed_elsewhere(problem, *block, once.low.output, outcome.output)) {
    fail(verdict, Aspect::kRelation,
         block->tensor
             ? fmt::format("the tensor scale of {} in expert {} changes another output",
                           name(block->role), block->expert)
             : fmt::format("the scale of block [{}, {}] of {} in expert {} changes another output",
                           block->row, block->col, name(block->role), block->expert));
    verdict.worst = entry;
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "scaled", .seed = 161, .quick = 9, .ci = 48, .peers = 24, .full = 192},
};

}  // namespace

Check a_scale_reaches_its_own_block_alone() {
  return {.name = "a_scale_reaches_its_own_block_alone",
          .summary =
              "Another scale of one block changes what is computed with that block, and not "
              "one bit elsewhere.",
          .guards_against =
              "scales kept from the call before, or loaded for more than their block (kind M)",
          .advice =
              "One scale was changed between two calls. Look at what is kept of scales from call "
              "to call, and at the index of a scale in each axis.",
          .order = 215,
          .draws = kDraws,
          .not_applicable = needs_scales,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
