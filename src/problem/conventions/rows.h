// The rows of traits, and what several of them share.
#pragma once

#include <fmt/format.h>

#include "src/problem/convention.h"
#include "src/problem/convention_list.h"

namespace assay {

#define ASSAY_ROW(NAME, ABI) extern const ConventionTraits k##NAME##Traits;
ASSAY_CONVENTIONS(ASSAY_ROW)
#undef ASSAY_ROW

inline std::size_t at(Index index) { return static_cast<std::size_t>(index); }
inline Index length(const std::vector<Index>& values) { return static_cast<Index>(values.size()); }

template <class... Values>
tl::unexpected<Error> refuse_entry(fmt::format_string<Values...> text, Values&&... values) {
  return make_error(fmt::format(text, std::forward<Values>(values)...));
}

Status check_length(std::string_view array, const std::vector<Index>& values, Index wanted,
                    std::string_view why);
// Each value in [least, 2^31-1] (i64: no upper limit).
Status check_range(std::string_view array, const std::vector<Index>& values, IndexType type,
                   Index least);
// `values`: one entry for each expert, none negative.
Status check_one_an_expert(const OffsetArrays& arrays, const OffsetsFrame& frame);
// Ends ascend within the rows, each at or after the end before it, aligned up to pad.
Status check_ends(std::string_view array, const std::vector<Index>& ends, const OffsetsFrame& frame,
                  Index pad);
// `values` are starts of groups of `sizes` rows, in ascending order and without overlap.
Status check_starts(std::string_view array, const std::vector<Index>& starts,
                    const std::vector<Index>& sizes, const OffsetsFrame& frame);

Index one_an_expert(const OffsetArrays& arrays);  // ConventionTraits::experts
Index last_value(const OffsetArrays& arrays, const OffsetsFrame& frame);  // ::rows
// The farthest row that a group of `sizes` rows from a start reaches.
Index rows_reached(const std::vector<Index>& starts, const std::vector<Index>& sizes);

void append_ends(const RowLayout& layout, std::vector<Index>& values);
// Experts one after another, each start aligned up to pad.
RowLayout packed_layout(std::vector<Index> counts, const OffsetsFrame& frame, Index pad);
// The counts of experts that end at ends[first], ends[first + 1], ...
std::vector<Index> counts_between(const std::vector<Index>& ends, std::size_t first,
                                  const OffsetsFrame& frame, Index pad);

// ConventionTraits::misread of ends and padded_ends: from the end before it, aligned up to pad.
std::vector<RowRange> rows_up_to_ends(const std::vector<Index>& values, const OffsetsFrame& frame,
                                      Index pad);
// ConventionTraits::misread of indptr and starts alike: from each entry to the next.
std::vector<RowRange> rows_between_entries(const std::vector<Index>& values,
                                           const OffsetsFrame& frame);

}  // namespace assay
