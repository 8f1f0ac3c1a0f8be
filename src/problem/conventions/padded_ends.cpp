// padded_ends: the end of each expert's real rows; the next expert starts at a multiple of pad.
#include <algorithm>

#include "src/problem/conventions/rows.h"

namespace assay {
namespace {

constexpr OffsetsKind kKinds[] = {{Convention::kPaddedEnds},
                                  {Convention::kPaddedEnds, IndexType::kI64}};

void encode(const RowLayout& layout, const OffsetsFrame&, OffsetArrays& arrays) {
  append_ends(layout, arrays.values);
}

Status validate(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  ASSAY_TRY(check_one_an_expert(arrays, frame));
  return check_ends("padded_ends", arrays.values, frame, frame.pad);
}

RowLayout decode(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  return packed_layout(counts_between(arrays.values, 0, frame, frame.pad), frame, frame.pad);
}

std::vector<RowRange> misread(const std::vector<Index>& values, const OffsetsFrame& frame) {
  return rows_up_to_ends(values, frame, std::max<Index>(frame.pad, 1));
}

}  // namespace

const ConventionTraits kPaddedEndsTraits = {
    .name = "padded_ends",
    .forms = "padded_ends[:i64]",
    .meaning = "end of each expert's real rows; the next starts at a multiple of pad",
    .example = "3,128,133",
    .reading = "real ends, aligned starts",
    .users = "DeepGEMM psum",
    .kinds = kKinds,
    .expresses_gaps = true,
    .starts_follow_pad = true,
    .promises_pad = true,
    .experts = one_an_expert,
    .rows = last_value,
    .encode = encode,
    .validate = validate,
    .decode = decode,
    .misread = misread,
};

}  // namespace assay
