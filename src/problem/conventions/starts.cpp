// starts: the first row of each expert, and a second array of counts.
#include "src/problem/conventions/rows.h"

namespace assay {
namespace {

constexpr OffsetsKind kKinds[] = {{Convention::kStarts}, {Convention::kStarts, IndexType::kI64}};

Index rows(const OffsetArrays& arrays, const OffsetsFrame&) {
  return rows_reached(arrays.values, arrays.sizes);
}

void encode(const RowLayout& layout, const OffsetsFrame&, OffsetArrays& arrays) {
  arrays.values = layout.starts;
  arrays.sizes = layout.counts;
}

Status validate(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  const std::string_view why = "one for each expert";
  ASSAY_TRY(check_length("starts", arrays.values, frame.experts, why));
  ASSAY_TRY(check_length("sizes", arrays.sizes, frame.experts, why));
  ASSAY_TRY(check_range("starts", arrays.values, arrays.kind.type, 0));
  ASSAY_TRY(check_range("sizes", arrays.sizes, arrays.kind.type, 0));
  return check_starts("starts", arrays.values, arrays.sizes, frame);
}

RowLayout decode(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  return {arrays.values, arrays.sizes, frame.physical_rows};
}

}  // namespace

const ConventionTraits kStartsTraits = {
    .name = "starts",
    .forms = "starts[:i64]",
    .meaning = "first row of each expert, and its count",
    .example = "0,3,3 + 3,0,5",
    .reading = "starts and sizes",
    .users = "vLLM, SGLang CUTLASS MoE",
    .kinds = kKinds,
    .expresses_gaps = true,
    .sizes = "the counts",
    .needs = "a second array of sizes",
    .experts = one_an_expert,
    .rows = rows,
    .encode = encode,
    .validate = validate,
    .decode = decode,
    .misread = rows_between_entries,
};

}  // namespace assay
