// ConventionTraits: all that is known of an offset convention, one row each (conventions/), which
// every list of conventions reads. Kernels read the arrays by code of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/problem/offsets.h"

namespace assay {

// Rows [first, last) of the physical operands.
struct RowRange {
  Index first = 0, last = 0;
};

struct ConventionTraits {
  std::string_view name;
  std::string_view forms;    // with its types and places, for messages: counts, counts:i64[:host]
  std::string_view meaning;  // of the arrays, for lists
  std::string_view example;  // what experts of 3, 0 and 5 rows look like
  std::string_view reading;  // of the example
  std::string_view users;    // who takes such arrays
  std::span<const OffsetsKind> kinds;

  bool expresses_gaps = false;     // an expert may start later than its predecessor ends: pad
  bool starts_follow_pad = false;  // where it starts is computed from pad, not told
  bool promises_pad = false;       // the call says pad
  bool has_buffers = false;        // experts lie in buffers of cap rows: no pad, no tail
  bool counts_only = false;        // entries are counts of rows, none their places
  bool has_row_entries = false;    // `values` has an entry a row, else about one an expert
  bool by_pointers = false;        // a kernel gets `sizes`, and pointers in the place of `values`
  std::string_view sizes{};        // what the second array holds; empty: there is none
  std::string_view needs{};        // to be told of other arrays than its own; empty: nothing more

  // The number of experts that the arrays hold; the rows that they need.
  Index (*experts)(const OffsetArrays& arrays) = nullptr;
  Index (*rows)(const OffsetArrays& arrays, const OffsetsFrame& frame) = nullptr;
  void (*encode)(const RowLayout& layout, const OffsetsFrame& frame,
                 OffsetArrays& arrays) = nullptr;
  Status (*validate)(const OffsetArrays& arrays, const OffsetsFrame& frame) = nullptr;
  // Requires: validate has accepted the arrays.
  RowLayout (*decode)(const OffsetArrays& arrays, const OffsetsFrame& frame) = nullptr;
  // The rows of each expert as a kernel finds them that takes any array for one of this convention
  // and checks nothing. Requires: an entry for each expert. Null: such an array is not a list of
  // offsets.
  std::vector<RowRange> (*misread)(const std::vector<Index>& values,
                                   const OffsetsFrame& frame) = nullptr;

  bool has_sizes() const { return !sizes.empty(); }
};

const ConventionTraits& traits(Convention convention);

// True where a case may hold arrays of `truth` and tell the kernel that they are those of `told`:
// the arrays that the kernel then wants are there.
bool may_be_told(Convention truth, Convention told);

// The conventions whose row holds, as `starts, row_ids and problems`.
std::string names_of_conventions(bool (*holds)(const ConventionTraits& row));

}  // namespace assay
