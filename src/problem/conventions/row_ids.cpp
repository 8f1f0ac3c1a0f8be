// row_ids: the expert of each row, -1 for padding.
#include <algorithm>

#include "src/problem/conventions/rows.h"

namespace assay {
namespace {

constexpr OffsetsKind kKinds[] = {{Convention::kRowIds}};

// Experts after the last one with rows are not in the array.
Index experts(const OffsetArrays& arrays) {
  if (arrays.values.empty()) { return 0; }
  return *std::max_element(arrays.values.begin(), arrays.values.end()) + 1;
}

Index rows(const OffsetArrays& arrays, const OffsetsFrame&) { return length(arrays.values); }

void encode(const RowLayout& layout, const OffsetsFrame&, OffsetArrays& arrays) {
  arrays.values.assign(at(layout.physical_rows), -1);
  for (std::size_t g = 0; g < layout.starts.size(); ++g) {
    std::fill_n(arrays.values.begin() + layout.starts[g], layout.counts[g], static_cast<Index>(g));
  }
}

Status check_ids(const std::vector<Index>& ids, const OffsetsFrame& frame) {
  Index last = -1;   // expert of the last row that is no padding
  bool gap = false;  // padding since then
  for (Index row = 0; row < length(ids); ++row) {
    const Index id = ids[at(row)];
    if (id < 0) {
      gap = true;
      continue;
    }
    if (id >= frame.experts) {
      return refuse_entry("row_ids[{}] = {} is past the last of {} experts", row, id,
                          frame.experts);
    }
    if (id < last) {
      return refuse_entry("row_ids[{}] = {} is below {}, the expert before it: out of order", row,
                          id, last);
    }
    if (id == last && gap) {
      return refuse_entry("row_ids[{}] = {} continues an expert after padding rows", row, id);
    }
    if (id != last && row % frame.pad != 0) {
      return refuse_entry("row_ids[{}] = {} starts an expert at a row that is not a multiple of {}",
                          row, id, frame.pad);
    }
    last = id;
    gap = false;
  }
  return {};
}

Status validate(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  ASSAY_TRY(check_length("row_ids", arrays.values, frame.physical_rows, "one for each row"));
  ASSAY_TRY(check_range("row_ids", arrays.values, arrays.kind.type, -1));
  return check_ids(arrays.values, frame);
}

RowLayout decode(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  const std::vector<Index>& ids = arrays.values;
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

const ConventionTraits kRowIdsTraits = {
    .name = "row_ids",
    .forms = "row_ids",
    .meaning = "expert of each row, -1 for padding",
    .example = "0,0,0,2,2,2,2,2",
    .reading = "expert of each row",
    .users = "DeepGEMM contiguous, ONNX",
    .kinds = kKinds,
    .expresses_gaps = true,
    .promises_pad = true,
    .has_row_entries = true,
    .experts = experts,
    .rows = rows,
    .encode = encode,
    .validate = validate,
    .decode = decode,
    .misread = nullptr,
};

}  // namespace assay
