#include "src/problem/row_layout.h"

#include <algorithm>

namespace assay {

Index align_up(Index value, Index multiple) { return (value + multiple - 1) / multiple * multiple; }

Index buffer_rows(const CaseSpec& spec) {
  if (spec.offsets.convention != Convention::kMasked) { return 0; }
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
