#include "src/harness/memory/operand_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/require.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

bool multiply(Index a, Index b, Index& product) { return !__builtin_mul_overflow(a, b, &product); }

void add_block(OperandPlan& plan, RowBlock block) {
  if (block.rows == 0) { return; }
  const bool real = block.kind == RowBlock::Kind::kReal;
  if (!real) { block.dense_row = plan.rows_not_real; }
  (real ? plan.rows_real : plan.rows_not_real) += block.rows;
  plan.blocks.push_back(block);
}

// Rows [begin, end) of no expert; they count from the start of the expert that they follow.
void add_padding(OperandPlan& plan, Index expert, Index expert_start, Index begin, Index end) {
  add_block(plan, {.kind = RowBlock::Kind::kPadding,
                   .expert = expert,
                   .first_row = begin - expert_start,
                   .rows = end - begin,
                   .byte = begin * plan.pitch_bytes});
}

void plan_rows(const Problem& problem, Index row_multiple, OperandPlan& plan) {
  const RowLayout& layout = problem.layout;
  Index tail_begin = layout.physical_rows - problem.spec.tail;
  Index cursor = 0;
  Index last_expert = -1;
  Index last_start = 0;
  for (const Index expert : experts_in_place(layout)) {
    const Index count = layout.counts[expert];
    const Index start = layout.starts[expert];
    if (count == 0) { continue; }
    ASSAY_REQUIRE(start >= cursor, expert, start, cursor);
    add_padding(plan, last_expert, last_start, cursor, start);
    add_block(plan, {.expert = expert,
                     .rows = count,
                     .byte = start * plan.pitch_bytes,
                     .dense_row = problem.dense_starts[expert]});
    cursor = start + count;
    last_expert = expert;
    last_start = start;
  }
  ASSAY_REQUIRE(cursor <= tail_begin, cursor, tail_begin);
  const Index whole = last_start + align_up(cursor - last_start, row_multiple);
  tail_begin = std::max(tail_begin, std::min(whole, layout.physical_rows));
  add_padding(plan, last_expert, last_start, cursor, tail_begin);
  add_block(plan, {.kind = RowBlock::Kind::kTail,
                   .first_row = tail_begin,
                   .rows = layout.physical_rows - tail_begin,
                   .byte = tail_begin * plan.pitch_bytes});
}

void plan_experts(const Problem& problem, OperandPlan& plan) {
  const Index pitch = stored_bytes(plan.format, expert_pitch(problem.spec));
  const Index rows = storage_rows(problem.spec);
  const std::vector<Index> places = weight_places(problem.spec);
  std::vector<Index> holders(places.size(), -1);  // the first of those that share a place
  for (Index expert = problem.spec.experts() - 1; expert >= 0; --expert) {
    holders[places[expert]] = expert;
  }
  for (std::size_t place = 0; place < holders.size(); ++place) {
    const Index expert = holders[place];
    if (expert < 0) { continue; }
    add_block(plan, {.expert = expert,
                     .rows = rows,
                     .byte = static_cast<Index>(place) * pitch,
                     .dense_row = expert * rows});
  }
}

}  // namespace

Result<OperandPlan> plan_operand(const Problem& problem, Role role, Index row_multiple) {
  const CaseSpec& spec = problem.spec;
  const DenseOperand& dense = problem.operands[role];
  OperandPlan plan;
  plan.format = dense.format;
  plan.row_bytes = stored_bytes(dense.format, dense.cols);
  plan.pitch_bytes = stored_bytes(dense.format, row_pitch(spec, role));
  Index expert_bytes = plan.pitch_bytes;
  bool fits = true;
  if (role == Role::kW) {
    fits = multiply(plan.pitch_bytes, storage_rows(spec), expert_bytes) &&
           !__builtin_add_overflow(expert_bytes, stored_bytes(dense.format, spec.wpitch),
                                   &expert_bytes);
  }
  const Index count = role == Role::kW ? spec.experts() : problem.layout.physical_rows;
  if (!fits || !multiply(expert_bytes, count, plan.extent_bytes)) {
    return make_error(fmt::format("{} has more bytes than 64 bits count", name(role)));
  }
  if (role == Role::kW) {
    plan_experts(problem, plan);
  } else {
    plan_rows(problem, row_multiple, plan);
  }
  const bool shared = role == Role::kW && spec.pointers == Pointers::kShared;
  ASSAY_REQUIRE(shared || plan.rows_real == dense.rows, plan.rows_real, dense.rows);
  return plan;
}

}  // namespace assay
