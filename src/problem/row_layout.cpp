#include "src/problem/row_layout.h"

#include <algorithm>

#include "src/problem/convention.h"

namespace assay {

Index align_up(Index value, Index multiple) { return (value + multiple - 1) / multiple * multiple; }

Index storage_cols(const CaseSpec& spec, Role role) {
  const MatrixAxes axes = axes_of(role);
  const bool turned = role == Role::kW && spec.weights == WeightsLayout::kEnk;
  return axis_sizes(spec, 0)[turned ? axes.rows : axes.cols];
}

Index storage_rows(const CaseSpec& spec) {
  return spec.weights == WeightsLayout::kEnk ? spec.n : spec.k;
}

Index row_pitch(const CaseSpec& spec, Role role) {
  return storage_cols(spec, role) + spec.ld[role];
}

Index expert_pitch(const CaseSpec& spec) {
  return storage_rows(spec) * row_pitch(spec, Role::kW) + spec.wpitch;
}

Index buffer_rows(const CaseSpec& spec) {
  if (!traits(spec.offsets.convention).has_buffers) { return 0; }
  if (spec.cap > 0) { return spec.cap; }
  Index most = 1;
  for (const Index rows : spec.rows) { most = std::max(most, rows); }
  return most;
}

RowLayout lay_out_rows(const CaseSpec& spec) {
  RowLayout layout;
  layout.counts = spec.rows;
  layout.starts.reserve(spec.rows.size());
  const Index cap = buffer_rows(spec);
  Index next = 0;
  for (const Index rows : spec.rows) {
    layout.starts.push_back(next);
    next = cap > 0 ? next + cap : align_up(next + rows, spec.pad);
  }
  layout.physical_rows = next + spec.tail;
  return layout;
}

}  // namespace assay
