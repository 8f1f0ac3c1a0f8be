// counts: the number of rows of each expert.
#include <numeric>

#include "src/problem/conventions/rows.h"

namespace assay {
namespace {

constexpr OffsetsKind kKinds[] = {{Convention::kCounts},
                                  {Convention::kCounts, IndexType::kI64},
                                  {Convention::kCounts, IndexType::kI64, OffsetsPlace::kHost}};

Index rows(const OffsetArrays& arrays, const OffsetsFrame&) {
  return std::accumulate(arrays.values.begin(), arrays.values.end(), Index{0});
}

void encode(const RowLayout& layout, const OffsetsFrame&, OffsetArrays& arrays) {
  arrays.values = layout.counts;
}

Status validate(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  ASSAY_TRY(check_one_an_expert(arrays, frame));
  const std::vector<Index>& counts = arrays.values;
  Index sum = 0;
  for (Index i = 0; i < length(counts); ++i) {
    if (counts[at(i)] > frame.physical_rows - sum) {
      return refuse_entry("counts[{}] = {} is past the rows: {} of {} are taken before it", i,
                          counts[at(i)], sum, frame.physical_rows);
    }
    sum += counts[at(i)];
  }
  return {};
}

RowLayout decode(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  return packed_layout(arrays.values, frame, 1);
}

std::vector<RowRange> misread(const std::vector<Index>& values, const OffsetsFrame& frame) {
  std::vector<RowRange> rows;
  Index sum = 0;
  for (std::size_t g = 0; g < at(frame.experts); ++g) {
    rows.push_back({sum, sum + values[g]});
    sum += values[g];
  }
  return rows;
}

}  // namespace

const ConventionTraits kCountsTraits = {
    .name = "counts",
    .forms = "counts, counts:i64[:host]",
    .meaning = "rows of each expert",
    .example = "3,0,5",
    .reading = "sizes",
    .users = "megablox, Transformer Engine",
    .kinds = kKinds,
    .counts_only = true,
    .experts = one_an_expert,
    .rows = rows,
    .encode = encode,
    .validate = validate,
    .decode = decode,
    .misread = misread,
};

}  // namespace assay
