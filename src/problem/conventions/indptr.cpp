// indptr: 0, then the ends of the experts' rows.
#include "src/problem/conventions/rows.h"

namespace assay {
namespace {

constexpr OffsetsKind kKinds[] = {{Convention::kIndptr}, {Convention::kIndptr, IndexType::kI64}};

Index experts(const OffsetArrays& arrays) { return length(arrays.values) - 1; }

void encode(const RowLayout& layout, const OffsetsFrame&, OffsetArrays& arrays) {
  arrays.values.push_back(0);
  append_ends(layout, arrays.values);
}

Status validate(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  ASSAY_TRY(check_length("indptr", arrays.values, frame.experts + 1,
                         "one for each expert and a leading 0"));
  ASSAY_TRY(check_range("indptr", arrays.values, arrays.kind.type, 0));
  if (arrays.values[0] != 0) {
    return refuse_entry("indptr[0] = {}, expected 0", arrays.values[0]);
  }
  return check_ends("indptr", arrays.values, frame, 1);
}

RowLayout decode(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  return packed_layout(counts_between(arrays.values, 1, frame, 1), frame, 1);
}

}  // namespace

const ConventionTraits kIndptrTraits = {
    .name = "indptr",
    .forms = "indptr[:i64]",
    .meaning = "experts + 1 entries: 0, then the ends",
    .example = "0,3,3,8",
    .reading = "E+1 entries",
    .users = "FlashInfer, vLLM",
    .kinds = kKinds,
    .experts = experts,
    .rows = last_value,
    .encode = encode,
    .validate = validate,
    .decode = decode,
    .misread = rows_between_entries,
};

}  // namespace assay
