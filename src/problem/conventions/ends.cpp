// ends: the exclusive end of each expert's rows.
#include "src/problem/conventions/rows.h"

namespace assay {
namespace {

constexpr OffsetsKind kKinds[] = {{Convention::kEnds}, {Convention::kEnds, IndexType::kI64}};

void encode(const RowLayout& layout, const OffsetsFrame&, OffsetArrays& arrays) {
  append_ends(layout, arrays.values);
}

Status validate(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  ASSAY_TRY(check_one_an_expert(arrays, frame));
  return check_ends("ends", arrays.values, frame, 1);
}

RowLayout decode(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  return packed_layout(counts_between(arrays.values, 0, frame, 1), frame, 1);
}

std::vector<RowRange> misread(const std::vector<Index>& values, const OffsetsFrame& frame) {
  return rows_up_to_ends(values, frame, 1);
}

}  // namespace

const ConventionTraits kEndsTraits = {
    .name = "ends",
    .forms = "ends[:i64]",
    .meaning = "exclusive end of each expert's rows",
    .example = "3,3,8",
    .reading = "exclusive ends",
    .users = "torch grouped_mm, CuTe DSL",
    .kinds = kKinds,
    .experts = one_an_expert,
    .rows = last_value,
    .encode = encode,
    .validate = validate,
    .decode = decode,
    .misread = misread,
};

}  // namespace assay
