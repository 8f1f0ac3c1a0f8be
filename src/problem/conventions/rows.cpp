#include "src/problem/conventions/rows.h"

#include <algorithm>

namespace assay {

Status check_length(std::string_view array, const std::vector<Index>& values, Index wanted,
                    std::string_view why) {
  if (length(values) == wanted) { return {}; }
  return refuse_entry("{} has {} entries, expected {}: {}", array, length(values), wanted, why);
}

Status check_range(std::string_view array, const std::vector<Index>& values, IndexType type,
                   Index least) {
  constexpr Index kMaxInt32 = 2147483647;
  for (Index i = 0; i < length(values); ++i) {
    const Index value = values[at(i)];
    if (value < least) {
      return refuse_entry("{}[{}] = {} is negative, the least allowed value is {}", array, i, value,
                          least);
    }
    if (type == IndexType::kI32 && value > kMaxInt32) {
      return refuse_entry("{}[{}] = {} does not fit int32, whose largest value is {}", array, i,
                          value, kMaxInt32);
    }
  }
  return {};
}

Status check_one_an_expert(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  const std::string_view array = name(arrays.kind.convention);
  ASSAY_TRY(check_length(array, arrays.values, frame.experts, "one for each expert"));
  return check_range(array, arrays.values, arrays.kind.type, 0);
}

Status check_ends(std::string_view array, const std::vector<Index>& ends, const OffsetsFrame& frame,
                  Index pad) {
  Index start = 0;
  for (Index i = 0; i < length(ends); ++i) {
    const Index end = ends[at(i)];
    if (end < start && start == ends[at(i - 1)]) {
      return refuse_entry("{}[{}] = {} is below {}[{}] = {}: not monotone", array, i, end, array,
                          i - 1, start);
    }
    if (end < start) {
      return refuse_entry("{}[{}] = {} is below {}, which is {}[{}] = {} aligned up to {}", array,
                          i, end, start, array, i - 1, ends[at(i - 1)], pad);
    }
    if (end > frame.physical_rows) {
      return refuse_entry("{}[{}] = {} is past the {} rows", array, i, end, frame.physical_rows);
    }
    start = align_up(end, pad);
  }
  return {};
}

Status check_starts(std::string_view array, const std::vector<Index>& starts,
                    const std::vector<Index>& sizes, const OffsetsFrame& frame) {
  Index end = 0;
  for (Index i = 0; i < length(starts); ++i) {
    const Index start = starts[at(i)], size = sizes[at(i)];
    if (start < end) {
      return refuse_entry("{}[{}] = {} is below {}, the end of group {}: groups overlap", array, i,
                          start, end, i - 1);
    }
    if (start > frame.physical_rows || size > frame.physical_rows - start) {
      return refuse_entry("{}[{}] = {} with {} rows is past the {} rows", array, i, start, size,
                          frame.physical_rows);
    }
    end = start + size;
  }
  return {};
}

Index one_an_expert(const OffsetArrays& arrays) { return length(arrays.values); }

Index last_value(const OffsetArrays& arrays, const OffsetsFrame&) {
  return arrays.values.empty() ? 0 : arrays.values.back();
}

Index rows_reached(const std::vector<Index>& starts, const std::vector<Index>& sizes) {
  Index rows = 0;
  for (std::size_t g = 0; g < std::min(starts.size(), sizes.size()); ++g) {
    rows = std::max(rows, starts[g] + sizes[g]);
  }
  return rows;
}

void append_ends(const RowLayout& layout, std::vector<Index>& values) {
  for (std::size_t g = 0; g < layout.starts.size(); ++g) {
    values.push_back(layout.starts[g] + layout.counts[g]);
  }
}

RowLayout packed_layout(std::vector<Index> counts, const OffsetsFrame& frame, Index pad) {
  RowLayout layout;
  Index next = 0;
  for (const Index count : counts) {
    layout.starts.push_back(next);
    next = align_up(next + count, pad);
  }
  layout.counts = std::move(counts);
  layout.physical_rows = frame.physical_rows;
  return layout;
}

std::vector<Index> counts_between(const std::vector<Index>& ends, std::size_t first,
                                  const OffsetsFrame& frame, Index pad) {
  std::vector<Index> counts;
  Index start = 0;
  for (std::size_t g = 0; g < at(frame.experts); ++g) {
    counts.push_back(ends[first + g] - start);
    start = align_up(ends[first + g], pad);
  }
  return counts;
}

std::vector<RowRange> rows_up_to_ends(const std::vector<Index>& values, const OffsetsFrame& frame,
                                      Index pad) {
  std::vector<RowRange> rows;
  for (std::size_t g = 0; g < at(frame.experts); ++g) {
    rows.push_back({g > 0 ? align_up(values[g - 1], pad) : 0, values[g]});
  }
  return rows;
}

std::vector<RowRange> rows_between_entries(const std::vector<Index>& values,
                                           const OffsetsFrame& frame) {
  std::vector<RowRange> rows;
  for (std::size_t g = 0; g < at(frame.experts); ++g) {
    rows.push_back({values[g], g + 1 < values.size() ? values[g + 1] : frame.physical_rows});
  }
  return rows;
}

}  // namespace assay
