// GroupReader: where each expert's rows lie, read expert after expert from the raw arrays of an offset convention.
// Whatever the arrays hold, every group lies inside [0, rows): garbage makes a call wrong, never unsafe.
#pragma once

#include <cstdint>

#include "src/core/host_device.h"
#include "src/core/index.h"
#include "src/kernels/abi.h"

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
  // problems: an expert's (M, N, K) as its pass wants it, -1 in the place of its row count; and the pointers to its
  // first row in an operand whose rows are row_bytes apart (0: the pointers say nothing).
  Index expected_sizes[3] = {-1, -1, -1};
  const void* const* row_pointers = nullptr;
  const void* row_base = nullptr;
  Index row_bytes = 0;
};

struct RowGroup {
  Index start = 0;
  Index count = 0;
  bool valid = true;  // false: the arrays break their convention here, and start and count were clamped
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
      case ASSAY_OFFSETS_INDPTR:
        return between(entry(arrays_.offsets, expert), entry(arrays_.offsets, expert + 1));
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
    if (arrays_.convention != ASSAY_OFFSETS_ROW_IDS) {
      return true;
    }
    for (Index row = cursor_; row < arrays_.rows; ++row) {
      const Entry id = entry(arrays_.offsets, row);
      if (!id.valid || id.value != -1) {
        return false;
      }
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
  ASSAY_HOST_DEVICE Index aligned(Index row) const {
    const Index pad = arrays_.pad > 1 ? arrays_.pad : 1;
    const Index rest = row % pad;
    if (rest == 0) {
      return row;
    }
    return pad - rest <= arrays_.rows - row ? row + (pad - rest) : arrays_.rows;
  }

  // The rows [start, start + count), clamped; the next expert may not begin before their end.
  ASSAY_HOST_DEVICE RowGroup place(Entry start, Entry count) {
    RowGroup group;
    group.start = clamp(start.value, cursor_, arrays_.rows);
    group.count = clamp(count.value, 0, arrays_.rows - group.start);
    group.valid = start.valid && count.valid && count.value == group.count &&
                  (start.value == group.start ||
                   (group.count == 0 && start.value >= 0 && start.value <= arrays_.rows));
    if (group.count > 0) {
      cursor_ = group.start + group.count;
    }
    return group;
  }

  // The rows [first, end), where first follows from the expert before.
  ASSAY_HOST_DEVICE RowGroup until(Entry end, Index first) {
    RowGroup group;
    group.start = clamp(first, 0, arrays_.rows);
    group.count = clamp(end.value, group.start, arrays_.rows) - group.start;
    const bool ends_before_padding = end.value >= cursor_ && end.value <= first;
    group.valid = end.valid && (end.value == group.start + group.count || ends_before_padding) &&
                  end.value <= arrays_.rows;
    cursor_ = group.count > 0 ? group.start + group.count : cursor_;
    return group;
  }

  ASSAY_HOST_DEVICE RowGroup between(Entry first, Entry end) {
    RowGroup group;
    group.start = clamp(first.value, cursor_, arrays_.rows);
    const Index last = clamp(end.value, group.start, arrays_.rows);
    group.count = last - group.start;
    group.valid = first.valid && end.valid && first.value == cursor_ && end.value == last;
    cursor_ = last;
    return group;
  }

  ASSAY_HOST_DEVICE RowGroup masked(Index expert, Entry count) const {
    const Index cap = clamp(arrays_.cap, 0, arrays_.rows);
    RowGroup group;
    // expert * cap cannot overflow before it passes rows: compare by division.
    const bool fits = cap == 0 || expert <= arrays_.rows / cap;
    group.start = fits ? clamp(expert * cap, 0, arrays_.rows) : arrays_.rows;
    const Index room = arrays_.rows - group.start;
    group.count = clamp(count.value, 0, cap < room ? cap : room);
    group.valid = count.valid && count.value == group.count;
    return group;
  }

  // The run of rows with this expert's id at or after the cursor, padding skipped.
  ASSAY_HOST_DEVICE RowGroup run_of(Index expert) {
    const Index rows = arrays_.rows < arrays_.offsets.length ? arrays_.rows : arrays_.offsets.length;
    Index first = cursor_;
    while (first < rows && arrays_.offsets.at(first) == -1) {
      ++first;
    }
    RowGroup group{first, 0, rows == arrays_.rows};
    while (first + group.count < rows && arrays_.offsets.at(first + group.count) == expert) {
      ++group.count;
    }
    if (group.count > 0) {
      group.valid = group.valid && first == aligned(first);
      cursor_ = first + group.count;
    } else if (first < rows) {
      const Index id = arrays_.offsets.at(first);
      group.valid = group.valid && id > expert && id < arrays_.experts;
    }
    return group;
  }

  ASSAY_HOST_DEVICE RowGroup problem(Index expert) const {
    Entry count{0, true};
    for (Index i = 0; i < 3; ++i) {
      const Entry size = entry(arrays_.sizes, 3 * expert + i);
      if (arrays_.expected_sizes[i] < 0) {
        count.value = size.value;
      }
      count.valid = count.valid && size.valid &&
                    (arrays_.expected_sizes[i] < 0 || size.value == arrays_.expected_sizes[i]);
    }
    Entry start{0, true};
    if (arrays_.row_pointers != nullptr && arrays_.row_bytes > 0) {
      const Index distance =
          static_cast<Index>(reinterpret_cast<std::intptr_t>(arrays_.row_pointers[expert]) -
                             reinterpret_cast<std::intptr_t>(arrays_.row_base));
      start = {distance / arrays_.row_bytes, distance % arrays_.row_bytes == 0};
    }
    RowGroup group;
    group.start = clamp(start.value, 0, arrays_.rows);
    group.count = clamp(count.value, 0, arrays_.rows - group.start);
    group.valid = start.valid && count.valid && start.value == group.start &&
                  count.value == group.count;
    return group;
  }

  GroupArrays arrays_;
  Index expert_ = 0;
  Index cursor_ = 0;  // end of the rows given so far
};

}  // namespace assay
