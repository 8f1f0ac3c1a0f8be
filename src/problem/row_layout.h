// RowLayout: where each expert's rows lie in the physical X and Y of a case.
#pragma once

#include <vector>

#include "src/core/index.h"
#include "src/problem/case_spec.h"

namespace assay {

struct RowLayout {
  std::vector<Index> starts;  // first physical row of each expert
  std::vector<Index> counts;  // real rows of each expert
  Index physical_rows = 0;    // rows of X and Y, padding and tail included
  friend bool operator==(const RowLayout&, const RowLayout&) = default;
};

// The next multiple at or above value. Requires: value >= 0, multiple >= 1.
Index align_up(Index value, Index multiple);

// Columns of an operand as it is stored, and rows of one expert's w.
Index storage_cols(const CaseSpec& spec, Role role);
Index storage_rows(const CaseSpec& spec);
// Elements between rows, and between experts' matrices of w.
Index row_pitch(const CaseSpec& spec, Role role);
Index expert_pitch(const CaseSpec& spec);

// masked: rows of each expert's buffer (spec.cap, or what its default stands for); 0 for other
// conventions.
Index buffer_rows(const CaseSpec& spec);

// Where spec places its experts: each at the next multiple of pad, rows padded to one after
// the last expert too; masked: expert g at row g*cap; then tail rows. Scattered: in an order of the
// seed's, up to two multiples of pad apart.
RowLayout lay_out_rows(const CaseSpec& spec);

// The experts in the order in which they lie in memory, with rows or without.
std::vector<Index> experts_in_place(const RowLayout& layout);

// The expert whose weights `expert` has: itself, or an earlier one where weights are shared.
Index weights_owner(const CaseSpec& spec, Index expert);
// Which of the places of w, experts of them, holds each expert's weights. Place 0 is always used.
std::vector<Index> weight_places(const CaseSpec& spec);

}  // namespace assay
