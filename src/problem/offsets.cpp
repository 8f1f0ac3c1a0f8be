#include "src/problem/offsets.h"

#include <algorithm>

#include "src/core/require.h"

namespace assay {
namespace {

std::size_t at(Index index) { return static_cast<std::size_t>(index); }

// The product that a pass makes of one expert, as cuBLAS and CUTLASS count it.
void append_triple(std::vector<Index>& sizes, Index rows, const OffsetsFrame& frame) {
  switch (frame.pass) {
    case Pass::kFwd:
      sizes.insert(sizes.end(), {rows, frame.n, frame.k});
      return;
    case Pass::kDgrad:
      sizes.insert(sizes.end(), {rows, frame.k, frame.n});
      return;
    case Pass::kWgrad:
      sizes.insert(sizes.end(), {frame.k, frame.n, rows});
      return;
  }
}

Index rows_of_triple(const std::vector<Index>& sizes, Index expert, const OffsetsFrame& frame) {
  return sizes[at(3 * expert + (frame.pass == Pass::kWgrad ? 2 : 0))];
}

std::vector<Index> row_ids_of(const RowLayout& layout) {
  std::vector<Index> ids(at(layout.physical_rows), -1);
  for (std::size_t g = 0; g < layout.starts.size(); ++g) {
    std::fill_n(ids.begin() + layout.starts[g], layout.counts[g], static_cast<Index>(g));
  }
  return ids;
}

// Starts of experts packed one after another, each aligned up; the last entry is where the next
// would start.
std::vector<Index> packed_starts(const std::vector<Index>& counts, Index pad) {
  std::vector<Index> starts{0};
  for (const Index count : counts) { starts.push_back(align_up(starts.back() + count, pad)); }
  return starts;
}

RowLayout packed_layout(std::vector<Index> counts, const OffsetsFrame& frame, Index pad) {
  RowLayout layout;
  layout.starts = packed_starts(counts, pad);
  layout.starts.pop_back();
  layout.counts = std::move(counts);
  layout.physical_rows = frame.physical_rows;
  return layout;
}

std::vector<Index> counts_between(const std::vector<Index>& values, Index experts,
                                  bool leading_zero, Index pad) {
  std::vector<Index> counts;
  Index start = 0;
  for (Index g = 0; g < experts; ++g) {
    const Index end = values[at(g + (leading_zero ? 1 : 0))];
    counts.push_back(end - start);
    start = align_up(end, pad);
  }
  return counts;
}

RowLayout layout_of_row_ids(const std::vector<Index>& ids, const OffsetsFrame& frame) {
  std::vector<Index> counts(at(frame.experts), 0);
  std::vector<Index> first(at(frame.experts), -1);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (ids[row] < 0) { continue; }
    if (counts[at(ids[row])]++ == 0) { first[at(ids[row])] = static_cast<Index>(row); }
  }
  RowLayout layout{{}, std::move(counts), frame.physical_rows};
  Index next = 0;
  for (std::size_t g = 0; g < first.size(); ++g) {
    layout.starts.push_back(first[g] >= 0 ? first[g] : next);
    next = align_up(layout.starts[g] + layout.counts[g], frame.pad);
  }
  return layout;
}

}  // namespace

OffsetsFrame frame_of(const CaseSpec& spec) {
  return {.experts = spec.experts(),
          .physical_rows = lay_out_rows(spec).physical_rows,
          .pad = spec.pad,
          .cap = buffer_rows(spec),
          .k = spec.k,
          .n = spec.n,
          .pass = spec.pass};
}

const std::vector<OffsetsKind>& all_offsets_kinds() {
  using enum Convention;
  constexpr IndexType kI64 = IndexType::kI64;
  static const std::vector<OffsetsKind> kinds = {
      {kEnds},         {kStarts}, {kStarts, kI64}, {kIndptr},
      {kIndptr, kI64}, {kCounts}, {kCounts, kI64}, {kCounts, kI64, OffsetsPlace::kHost},
      {kRowIds},       {kMasked}, {kPaddedEnds},   {kProblems}};
  return kinds;
}

std::string offsets_forms(Convention convention) {
  std::string forms;
  for (const OffsetsKind& kind : all_offsets_kinds()) {
    if (kind.convention != convention) { continue; }
    if (!forms.empty()) { forms += " or "; }
    forms += name(kind);
  }
  return forms;
}

bool is_offsets_kind(const OffsetsKind& kind) {
  const std::vector<OffsetsKind>& kinds = all_offsets_kinds();
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool can_express_gaps(Convention convention) {
  return convention == Convention::kStarts || convention == Convention::kRowIds ||
         convention == Convention::kPaddedEnds || convention == Convention::kProblems;
}

OffsetArrays encode_offsets(const RowLayout& layout, const OffsetsKind& kind,
                            const OffsetsFrame& frame) {
  OffsetArrays arrays{kind, {}, {}};
  const auto append_ends = [&] {
    for (std::size_t g = 0; g < layout.starts.size(); ++g) {
      arrays.values.push_back(layout.starts[g] + layout.counts[g]);
    }
  };
  switch (kind.convention) {
    case Convention::kIndptr:
      arrays.values.push_back(0);
      append_ends();
      break;
    case Convention::kEnds:
    case Convention::kPaddedEnds:
      append_ends();
      break;
    case Convention::kStarts:
      arrays.values = layout.starts;
      arrays.sizes = layout.counts;
      break;
    case Convention::kCounts:
    case Convention::kMasked:
      arrays.values = layout.counts;
      break;
    case Convention::kRowIds:
      arrays.values = row_ids_of(layout);
      break;
    case Convention::kProblems:
      arrays.values = layout.starts;
      for (const Index rows : layout.counts) { append_triple(arrays.sizes, rows, frame); }
      break;
  }
  return arrays;
}

Result<RowLayout> decode_offsets(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  if (Status valid = validate_offsets(arrays, frame); !valid) {
    return tl::unexpected<Error>(std::move(valid.error()));
  }
  switch (arrays.kind.convention) {
    case Convention::kEnds:
      return packed_layout(counts_between(arrays.values, frame.experts, false, 1), frame, 1);
    case Convention::kIndptr:
      return packed_layout(counts_between(arrays.values, frame.experts, true, 1), frame, 1);
    case Convention::kPaddedEnds:
      return packed_layout(counts_between(arrays.values, frame.experts, false, frame.pad), frame,
                           frame.pad);
    case Convention::kCounts:
      return packed_layout(arrays.values, frame, 1);
    case Convention::kStarts:
      return RowLayout{arrays.values, arrays.sizes, frame.physical_rows};
    case Convention::kRowIds:
      return layout_of_row_ids(arrays.values, frame);
    case Convention::kMasked: {
      RowLayout layout{{}, arrays.values, frame.physical_rows};
      for (Index g = 0; g < frame.experts; ++g) { layout.starts.push_back(g * frame.cap); }
      return layout;
    }
    case Convention::kProblems:
      break;
  }
  RowLayout layout{arrays.values, {}, frame.physical_rows};
  for (Index g = 0; g < frame.experts; ++g) {
    layout.counts.push_back(rows_of_triple(arrays.sizes, g, frame));
  }
  return layout;
}

}  // namespace assay
