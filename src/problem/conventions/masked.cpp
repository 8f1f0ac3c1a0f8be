// masked: the number of valid rows in each expert's buffer of cap rows.
#include "src/problem/conventions/rows.h"

namespace assay {
namespace {

constexpr OffsetsKind kKinds[] = {{Convention::kMasked}};

Index rows(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  return arrays.values.empty() ? 0 : frame.cap * frame.experts;
}

void encode(const RowLayout& layout, const OffsetsFrame&, OffsetArrays& arrays) {
  arrays.values = layout.counts;
}

Status validate(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  ASSAY_TRY(check_one_an_expert(arrays, frame));
  const std::vector<Index>& counts = arrays.values;
  for (Index i = 0; i < length(counts); ++i) {
    if (counts[at(i)] > frame.cap) {
      return refuse_entry("masked[{}] = {} is past the {} rows of a buffer", i, counts[at(i)],
                          frame.cap);
    }
  }
  const Index whole = frame.physical_rows;
  if (frame.cap > 0 && (whole % frame.cap != 0 || whole / frame.cap != frame.experts)) {
    return refuse_entry("{} rows are not {} buffers of {} rows", whole, frame.experts, frame.cap);
  }
  return {};
}

RowLayout decode(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  RowLayout layout{{}, arrays.values, frame.physical_rows};
  for (Index g = 0; g < frame.experts; ++g) { layout.starts.push_back(g * frame.cap); }
  return layout;
}

std::vector<RowRange> misread(const std::vector<Index>& values, const OffsetsFrame& frame) {
  std::vector<RowRange> rows;
  for (Index g = 0; g < frame.experts; ++g) {
    rows.push_back({g * frame.cap, g * frame.cap + values[at(g)]});
  }
  return rows;
}

}  // namespace

const ConventionTraits kMaskedTraits = {
    .name = "masked",
    .forms = "masked",
    .meaning = "valid rows of each expert's buffer of cap rows",
    .example = "3,0,5 + buffers",
    .reading = "valid rows of buffers",
    .users = "DeepGEMM masked",
    .kinds = kKinds,
    .has_buffers = true,
    .counts_only = true,
    .needs = "buffers of one capacity",
    .experts = one_an_expert,
    .rows = rows,
    .encode = encode,
    .validate = validate,
    .decode = decode,
    .misread = misread,
};

}  // namespace assay
