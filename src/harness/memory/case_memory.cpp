#include "src/harness/memory/case_memory.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "src/core/machine_memory.h"
#include "src/harness/memory/operand_plan.h"
#include "src/harness/memory/shared_memory.h"
#include "src/harness/memory/sparse_image.h"
#include "src/problem/convention.h"
#include "src/problem/quantise.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();
// What layouts, plans and the oracle keep of each expert beside its elements, measured.
constexpr Index kBytesAnExpert = 1024;
constexpr Index kRealBytesACode = 8;  // fp32 numbers of a byte of codes, which may hold two

Index add(Index a, Index b) {
  Index sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}

Index multiply(Index a, Index b) {
  Index product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

Index round_up(Index value, Index multiple) {
  return value > kMost - multiple ? kMost / multiple * multiple
                                  : (value + multiple - 1) / multiple * multiple;
}

// An operand of a case as its line tells it: runs of bytes that lie side by side, each as far from
// the next.
struct Shape {
  Index runs = 0;
  Index run_bytes = 0;
  Index pitch_bytes = 0;

  Index element_bytes() const { return runs * run_bytes; }
  Index extent_bytes() const { return runs * pitch_bytes; }
};

Shape shape_of(const CaseSpec& spec, Role role, Index rows) {
  const Format format = format_of(spec, role);
  const Index pitch = stored_bytes(format, row_pitch(spec, role));
  const Index run = stored_bytes(format, row_pitch(spec, role) - spec.ld[role]);
  if (role != Role::kW) { return {rows, run, pitch}; }
  const Index storage = storage_rows(spec);
  const Index expert = stored_bytes(format, expert_pitch(spec));
  if (spec.ld.w == 0) { return {spec.experts(), storage * run, expert}; }
  // Gaps between the experts as well count as if they lay between the rows.
  return {spec.experts() * storage, run, (expert + storage - 1) / storage};
}

Index real_rows(const CaseSpec& spec) { return total_rows(spec); }

Index image_bytes(const CaseSpec& spec, Role role, Index physical_rows) {
  const Shape shape = shape_of(spec, role, physical_rows);
  const bool sparse = is_sparse(shape.extent_bytes(), shape.element_bytes());
  return sparse ? resident_bytes(spec, role, physical_rows)
                : region_bytes(shape.extent_bytes(), false);
}

// Of blocks that begin anew with each expert, at most.
Index scale_bytes(const CaseSpec& spec, Role role, Index physical_rows) {
  const std::optional<OperandBlock> block = scale_block(spec, role);
  if (!block) { return 0; }
  const AxisSizes sizes = axis_sizes(spec, physical_rows);
  const MatrixAxes axes = axes_of(role);
  const bool tiled = input_block(spec, role) && scale_layout_of(spec) != ScaleLayout::kStrided;
  // Either axis may be the one across the output.
  const Index gap = tiled ? kTileAcross : 1;
  const Index rows = multiply(add(scale_blocks(sizes[axes.rows], block->rows), tiled ? gap : 0),
                              role == Role::kW || block->rows == 0 ? spec.experts() : 1);
  const Index cols = add(scale_blocks(sizes[axes.cols], block->cols), tiled ? gap : 0);
  return multiply(multiply(add(rows, multiply(gap, spec.experts()) + scale_pitch_of(spec)), cols),
                  traits(block->format).size_bytes);
}

Index array_bytes(const CaseSpec& spec, Index physical_rows) {
  constexpr Index kEntry = 8;
  const Index rows = traits(spec.offsets.convention).has_row_entries ? physical_rows : 0;
  return kEntry * (rows + spec.experts());
}

}  // namespace

Index CaseMemory::total() const { return add(add(problems, calls), add(workspaces, outputs)); }

Index region_bytes(Index bytes, bool sparse) {
  const Index whole = round_up(std::max<Index>(bytes, 1), kPageBytes);
  if (whole <= kSmallRegionBytes) {
    return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(whole)));
  }
  if (sparse) { return whole; }
  // Slack of an eighth at most, so that neighbouring sizes share a region.
  const Index step = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(bytes))) / 8;
  return round_up(bytes, std::max(step, kPageBytes));
}

Index resident_bytes(const CaseSpec& spec, Role role, Index physical_rows) {
  const Shape shape = shape_of(spec, role, physical_rows);
  return shape.runs * std::min(shape.pitch_bytes, shape.run_bytes + 2 * kPageBytes);
}

CaseMemory memory_of_case(const CaseSpec& spec, const Manifest& manifest, const HeldAtOnce& held) {
  const Index rows = lay_out_rows(spec).physical_rows;
  const Index arrays = array_bytes(spec, rows);
  Index dense = arrays + kBytesAnExpert * spec.experts(), call = 2 * arrays;
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    const Index scales = scale_bytes(spec, role, rows);
    const Index elements = shape_of(spec, role, real_rows(spec)).element_bytes();
    dense = add(dense, add(elements, scales));
    // The numbers that codes and scales are made of, while they are.
    if (is_quantised(spec, role)) { dense = add(dense, multiply(kRealBytesACode, elements)); }
    call += image_bytes(spec, role, rows) + (scales > 0 ? region_bytes(scales, false) : 0);
    if (const auto block = scale_block(spec, role); block && block->tensor_scale) {
      call += region_bytes(spec.experts() * static_cast<Index>(sizeof(float)), false);
    }
  }
  if (spec.bias) {
    const Index bias = multiply(multiply(spec.experts(), spec.n), size_bytes(*spec.bias));
    dense = add(dense, bias);
    call += region_bytes(bias, false);
  }
  // Rows that belong to no expert are copied out, too.
  const Index output = shape_of(spec, output_role(spec.pass), rows).element_bytes();
  const Index calls = std::max(held.calls, spec.exec.count);
  const auto workspace =
      static_cast<Index>(std::min<std::uint64_t>(manifest.workspace_of(spec), kMost));
  return {
      .problems = multiply(held.problems, dense),
      .calls = multiply(calls, call),
      .workspaces = multiply(
          calls,
          workspace == 0 ? 0 : region_bytes(add(workspace, manifest.workspace_alignment), false)),
      .outputs = multiply(held.outputs + calls - 1, output)};
}

Result<MemoryShare> take_memory(const CaseSpec& spec, const Manifest& manifest,
                                const HeldAtOnce& held) {
  const CaseMemory memory = memory_of_case(spec, manifest, held);
  auto share = MemoryBudget::of_process().take(memory.total());
  if (share) { return share; }
  const bool for_workspace = memory.workspaces > memory.total() / 2;
  return run_short("the case " + share.error().message +
                   (for_workspace ? " (" + memory_text(memory.workspaces) +
                                        " of it for the manifest's workspace_bytes)"
                                  : ""));
}

}  // namespace assay
