// Offset conventions: how a routing is told to a kernel (encode), read back (decode) and
// checked (validate).
#pragma once

#include <string>
#include <vector>

#include "src/core/error.h"
#include "src/problem/case_spec.h"
#include "src/problem/row_layout.h"

namespace assay {

// The arrays of one convention, values widened to 64 bits; type and place say how they are stored.
// Most have `values` alone; `sizes` is a second array (starts: the counts). Of problems, `sizes`
// are the (M, N, K) of each expert's product [experts, 3], as Operation has m, n and depth, and
// `values` its first physical row.
struct OffsetArrays {
  OffsetsKind kind;
  std::vector<Index> values;
  std::vector<Index> sizes;
  friend bool operator==(const OffsetArrays&, const OffsetArrays&) = default;
};

// What a convention is read against.
struct OffsetsFrame {
  Index experts = 0;
  Index physical_rows = 0;
  Index pad = 1;  // alignment of starts that padded_ends and row_ids promise
  Index cap = 0;  // masked: rows of a buffer
  Index k = 0, n = 0;
  Pass pass = Pass::kFwd;
};
OffsetsFrame frame_of(const CaseSpec& spec);

// Every convention with every type and place that it has.
const std::vector<OffsetsKind>& all_offsets_kinds();
// The forms of a convention's name, as `indptr or indptr:i64`, for messages.
std::string offsets_forms(Convention convention);
bool is_offsets_kind(const OffsetsKind& kind);

// Requires: the convention can express the layout (parse_case has refused what it cannot).
OffsetArrays encode_offsets(const RowLayout& layout, const OffsetsKind& kind,
                            const OffsetsFrame& frame);
// Errors: names the first bad entry's index and both values: wrong length, negative, not monotone,
// past the rows, unaligned start, overlapping groups, a row id out of range or out of order.
Status validate_offsets(const OffsetArrays& arrays, const OffsetsFrame& frame);
// validate, then the layout. decode(encode(layout)) = layout for every layout of lay_out_rows;
// where a convention says nothing of an empty expert's start, it is where its rows would begin.
Result<RowLayout> decode_offsets(const OffsetArrays& arrays, const OffsetsFrame& frame);

}  // namespace assay
