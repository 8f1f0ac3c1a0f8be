#include <fmt/format.h>

#include "src/problem/offsets.h"

namespace assay {
namespace {

constexpr Index kMaxInt32 = 2147483647;

std::size_t at(Index index) { return static_cast<std::size_t>(index); }
Index length(const std::vector<Index>& values) { return static_cast<Index>(values.size()); }

template <class... Values>
tl::unexpected<Error> refuse_entry(fmt::format_string<Values...> text, Values&&... values) {
  return make_error(fmt::format(text, std::forward<Values>(values)...));
}

Status check_length(std::string_view array, const std::vector<Index>& values, Index wanted,
                    std::string_view why) {
  if (length(values) == wanted) { return {}; }
  return refuse_entry("{} has {} entries, expected {}: {}", array, length(values), wanted, why);
}

// Each value in [least, 2^31-1] (i64: no upper limit).
Status check_range(std::string_view array, const std::vector<Index>& values, IndexType type,
                   Index least) {
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

Status check_counts(const std::vector<Index>& counts, const OffsetsFrame& frame) {
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

Status check_masked(const std::vector<Index>& counts, const OffsetsFrame& frame) {
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

// Groups in ascending order that do not overlap.
template <class SizeOf>
Status check_starts(std::string_view array, const std::vector<Index>& starts, SizeOf size_of,
                    const OffsetsFrame& frame) {
  Index end = 0;
  for (Index i = 0; i < length(starts); ++i) {
    const Index start = starts[at(i)];
    if (start < end) {
      return refuse_entry("{}[{}] = {} is below {}, the end of group {}: groups overlap", array, i,
                          start, end, i - 1);
    }
    if (start > frame.physical_rows || size_of(i) > frame.physical_rows - start) {
      return refuse_entry("{}[{}] = {} with {} rows is past the {} rows", array, i, start,
                          size_of(i), frame.physical_rows);
    }
    end = start + size_of(i);
  }
  return {};
}

Status check_row_ids(const std::vector<Index>& ids, const OffsetsFrame& frame) {
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
      return refuse_entry("row_ids[{}] = {} starts an expert at a row that is no multiple of {}",
                          row, id, frame.pad);
    }
    last = id;
    gap = false;
  }
  return {};
}

Status check_triples(const std::vector<Index>& sizes, const OffsetsFrame& frame) {
  constexpr std::string_view kNames[] = {"M", "N", "K"};
  const Index fwd[] = {-1, frame.n, frame.k};  // -1: the expert's rows, any value
  const Index dgrad[] = {-1, frame.k, frame.n};
  const Index wgrad[] = {frame.k, frame.n, -1};
  const Index* wanted = frame.pass == Pass::kFwd ? fwd : frame.pass == Pass::kDgrad ? dgrad : wgrad;
  for (Index i = 0; i < length(sizes); ++i) {
    const Index expected = wanted[i % 3];
    if (expected >= 0 && sizes[at(i)] != expected) {
      return refuse_entry("problems[{}].{} = {}, the case has {}", i / 3, kNames[i % 3],
                          sizes[at(i)], expected);
    }
  }
  return {};
}

Status check_starts_convention(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  const std::string_view why = "one for each expert";
  if (Status s = check_length("starts", arrays.values, frame.experts, why); !s) { return s; }
  if (Status s = check_length("sizes", arrays.sizes, frame.experts, why); !s) { return s; }
  if (Status s = check_range("starts", arrays.values, arrays.kind.type, 0); !s) { return s; }
  if (Status s = check_range("sizes", arrays.sizes, arrays.kind.type, 0); !s) { return s; }
  return check_starts(
      "starts", arrays.values, [&](Index i) { return arrays.sizes[at(i)]; }, frame);
}

Status check_problems_convention(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  const std::string_view why = "(M, N, K) for each expert";
  if (Status s = check_length("problems", arrays.sizes, 3 * frame.experts, why); !s) { return s; }
  const std::string_view one = "one for each expert";
  if (Status s = check_length("first rows", arrays.values, frame.experts, one); !s) { return s; }
  if (Status s = check_range("problems", arrays.sizes, IndexType::kI32, 0); !s) { return s; }
  if (Status s = check_range("first rows", arrays.values, IndexType::kI64, 0); !s) { return s; }
  if (Status s = check_triples(arrays.sizes, frame); !s) { return s; }
  const Index rows_at = frame.pass == Pass::kWgrad ? 2 : 0;
  return check_starts(
      "first rows", arrays.values, [&](Index i) { return arrays.sizes[at(3 * i + rows_at)]; },
      frame);
}

}  // namespace

Status validate_offsets(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  const Convention convention = arrays.kind.convention;
  const std::string_view array = name(convention);
  if (!is_offsets_kind(arrays.kind)) {
    return refuse_entry("{} is no form of {}; allowed: {}", name(arrays.kind), array,
                        offsets_forms(convention));
  }
  if (convention == Convention::kStarts) { return check_starts_convention(arrays, frame); }
  if (convention == Convention::kProblems) { return check_problems_convention(arrays, frame); }
  const bool by_row = convention == Convention::kRowIds;
  const bool leading = convention == Convention::kIndptr;
  const Index wanted = by_row ? frame.physical_rows : frame.experts + (leading ? 1 : 0);
  const std::string_view why = by_row    ? "one for each row"
                               : leading ? "one for each expert and a leading 0"
                                         : "one for each expert";
  if (Status s = check_length(array, arrays.values, wanted, why); !s) { return s; }
  if (Status s = check_range(array, arrays.values, arrays.kind.type, by_row ? -1 : 0); !s) {
    return s;
  }
  if (by_row) { return check_row_ids(arrays.values, frame); }
  if (convention == Convention::kCounts) { return check_counts(arrays.values, frame); }
  if (convention == Convention::kMasked) { return check_masked(arrays.values, frame); }
  if (leading && arrays.values[0] != 0) {
    return refuse_entry("indptr[0] = {}, expected 0", arrays.values[0]);
  }
  return check_ends(array, arrays.values, frame,
                    convention == Convention::kPaddedEnds ? frame.pad : 1);
}

}  // namespace assay
