// GroupReader: where each expert's rows lie, read expert after expert from the raw arrays of an
// offset convention. Whatever the arrays hold, every group lies inside [0, rows): garbage makes a
// call wrong, never unsafe.
#pragma once

#include <cstdint>

#include "src/contract/assay/abi.h"
#include "src/core/host_device.h"
#include "src/core/index.h"

namespace assay {

// An int32 or int64 array in the memory of whoever reads it.
struct IndexArray {
  const void* data = nullptr;
  Index length = 0;
  bool wide = false;  // int64

  ASSAY_HOST_DEVICE Index at(Index i) const {
    return wide ? static_cast<Index>(static_cast<const std::int64_t*>(data)[i])
                : static_cast<Index>(static_cast<const std::int32_t*>(data)[i]);
  }
  ASSAY_HOST_DEVICE bool holds(Index i) const { return data != nullptr && i >= 0 && i < length; }
};

// The arrays of one call, as abi.h describes them.
struct GroupArrays {
  std::int32_t convention = ASSAY_OFFSETS_ENDS;
  Index experts = 0;
  Index rows = 0;  // physical rows of x and y
  Index pad = 1;
  Index cap = 0;
  IndexArray offsets;
  IndexArray sizes;
  // problems: an expert's (M, N, K) as its pass wants it, -1 in the place of its row count; and the
  // pointers to its first row in an operand whose rows are row_bytes apart (0: the pointers say
  // nothing). They lead anywhere among the rows; whether groups overlap is for the caller to see.
  Index expected_sizes[3] = {-1, -1, -1};
  const void* const* row_pointers = nullptr;
  const void* row_base = nullptr;
  Index row_bytes = 0;
};

// Whether the arrays have the lengths that their convention wants; a reader is safe either way.
ASSAY_HOST_DEVICE inline bool lengths_fit(const GroupArrays& arrays) {
  switch (arrays.convention) {
    case ASSAY_OFFSETS_STARTS:
      return arrays.offsets.length == arrays.experts && arrays.sizes.length == arrays.experts;
    case ASSAY_OFFSETS_INDPTR:
      return arrays.offsets.length == arrays.experts + 1;
    case ASSAY_OFFSETS_ROW_IDS:
      return arrays.offsets.length == arrays.rows;
    case ASSAY_OFFSETS_PROBLEMS:
      return arrays.sizes.length == 3 * arrays.experts;
    default:
      return arrays.offsets.length == arrays.experts;
  }
}

struct RowGroup {
  Index start = 0;
  Index count = 0;
  bool valid =
      true;  // false: the arrays break their convention here, and start and count were clamped
};

class GroupReader {
 public:
  ASSAY_HOST_DEVICE explicit GroupReader(const GroupArrays& arrays) : arrays_(arrays) {}

  ASSAY_HOST_DEVICE Index experts() const { return arrays_.experts; }

  // The next expert, from expert 0 on. Requires: fewer than experts() calls so far.
  ASSAY_HOST_DEVICE RowGroup next() {
    const Index expert = expert_++;
    switch (arrays_.convention) {
      case ASSAY_OFFSETS_ENDS:
        return until(entry(arrays_.offsets, expert), cursor_);
      case ASSAY_OFFSETS_PADDED_ENDS:
        return until(entry(arrays_.offsets, expert), aligned(cursor_));
      case ASSAY_OFFSETS_STARTS:
        return place(entry(arrays_.offsets, expert), entry(arrays_.sizes, expert));
      case ASSAY_OFFSETS_INDPTR: {
        const Entry first = entry(arrays_.offsets, expert);
        RowGroup group = until(entry(arrays_.offsets, expert + 1), cursor_);
        group.valid = group.valid && first.valid && first.value == group.start;
        return group;
      }
      case ASSAY_OFFSETS_COUNTS:
        return place({cursor_, true}, entry(arrays_.offsets, expert));
      case ASSAY_OFFSETS_MASKED:
        return masked(expert, entry(arrays_.offsets, expert));
      case ASSAY_OFFSETS_ROW_IDS:
        return run_of(expert);
      case ASSAY_OFFSETS_PROBLEMS:
        return problem(expert);
      default:
        return {0, 0, false};
    }
  }

  // After the last expert: whether what is left of the arrays keeps their convention.
  ASSAY_HOST_DEVICE bool rest_is_valid() const {
    if (arrays_.convention != ASSAY_OFFSETS_ROW_IDS) { return true; }
    for (Index row = cursor_; row < arrays_.rows; ++row) {
      const Entry id = entry(arrays_.offsets, row);
      if (!id.valid || id.value != -1) { return false; }
    }
    return true;
  }

 private:
  struct Entry {
    Index value = 0;
    bool valid = true;
  };

  ASSAY_HOST_DEVICE static Entry entry(const IndexArray& array, Index i) {
    return array.holds(i) ? Entry{array.at(i), true} : Entry{0, false};
  }
  ASSAY_HOST_DEVICE static Index clamp(Index value, Index low, Index high) {
    return value < low ? low : value > high ? high : value;
  }
  // The first multiple of pad at or after `row`; rows + 1 where that is past the rows.
  ASSAY_HOST_DEVICE Index aligned(Index row) const {
    const Index pad = arrays_.pad > 1 ? arrays_.pad : 1;
    const Index rest = row % pad;
    if (rest == 0) { return row; }
    return pad - rest <= arrays_.rows - row ? row + (pad - rest) : arrays_.rows + 1;
  }

  // The rows [start, start + count). Groups ascend and do not overlap.
  ASSAY_HOST_DEVICE RowGroup place(Entry start, Entry count) {
    RowGroup group;
    group.start = clamp(start.value, cursor_, arrays_.rows);
    group.count = clamp(count.value, 0, arrays_.rows - group.start);
    group.valid =
        start.valid && count.valid && start.value == group.start && count.value == group.count;
    cursor_ = group.start + group.count;
    return group;
  }

  // The rows [first, end), where first follows from the expert before.
  ASSAY_HOST_DEVICE RowGroup until(Entry end, Index first) {
    const Index last = clamp(end.value, clamp(first, cursor_, arrays_.rows), arrays_.rows);
    RowGroup group = place({first, end.valid}, {last - clamp(first, cursor_, arrays_.rows), true});
    group.valid = group.valid && end.value == last;
    return group;
  }

  ASSAY_HOST_DEVICE RowGroup masked(Index expert, Entry count) const {
    const Index cap = clamp(arrays_.cap, 0, arrays_.rows);
    // By division, since experts * cap may be more than an Index holds.
    const bool whole =
        cap == arrays_.cap &&
        (cap == 0 || (arrays_.rows % cap == 0 && arrays_.rows / cap == arrays_.experts));
    RowGroup group;
    group.start = cap == 0 || expert > arrays_.rows / cap ? 0 : expert * cap;
    const Index room = arrays_.rows - group.start;
    group.count = clamp(count.value, 0, cap < room ? cap : room);
    group.valid = whole && count.valid && count.value == group.count;
    return group;
  }

  // The run of rows with this expert's id at or after the cursor, padding skipped.
  ASSAY_HOST_DEVICE RowGroup run_of(Index expert) {
    const Index rows =
        arrays_.rows < arrays_.offsets.length ? arrays_.rows : arrays_.offsets.length;
    Index first = cursor_;
    while (first < rows && arrays_.offsets.at(first) == -1) { ++first; }
    Index count = 0;
    while (first + count < rows && arrays_.offsets.at(first + count) == expert) { ++count; }
    if (count > 0) {
      cursor_ = first + count;
      return {first, count, first == aligned(first)};
    }
    const bool in_order = first == rows || (arrays_.offsets.at(first) > expert &&
                                            arrays_.offsets.at(first) < arrays_.experts);
    return {clamp(aligned(cursor_), 0, arrays_.rows), 0, in_order};
  }

  ASSAY_HOST_DEVICE RowGroup problem(Index expert) {
    Entry count{0, true};
    for (Index i = 0; i < 3; ++i) {
      const Entry size = entry(arrays_.sizes, 3 * expert + i);
      const bool is_count = arrays_.expected_sizes[i] < 0;
      count.value = is_count ? size.value : count.value;
      count.valid =
          count.valid && size.valid && (is_count || size.value == arrays_.expected_sizes[i]);
    }
    if (arrays_.row_pointers == nullptr || arrays_.row_bytes <= 0) {
      return place({cursor_, true}, count);
    }
    const auto base = reinterpret_cast<std::intptr_t>(arrays_.row_base);
    const auto row = reinterpret_cast<std::intptr_t>(arrays_.row_pointers[expert]);
    const Index distance = static_cast<Index>(row - base);
    const Index start = distance / arrays_.row_bytes;
    RowGroup group;
    group.start = clamp(start, 0, arrays_.rows);
    group.count = clamp(count.value, 0, arrays_.rows - group.start);
    group.valid = count.valid && distance % arrays_.row_bytes == 0 && start == group.start &&
                  count.value == group.count;
    return group;
  }

  GroupArrays arrays_;
  Index expert_ = 0;
  Index cursor_ = 0;  // end of the rows given so far
};

}  // namespace assay
