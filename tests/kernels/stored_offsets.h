// StoredOffsets: offset arrays in the memory layout that a kernel reads.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kernels/schedule/group_reader.h"
#include "src/problem/offsets.h"

namespace assay {

class StoredOffsets {
 public:
  StoredOffsets(const OffsetArrays& arrays, const OffsetsFrame& frame)
      : offsets_(stored(arrays.values)), sizes_(stored(arrays.sizes)) {
    const bool wide = arrays.kind.type == IndexType::kI64;
    groups_.convention = static_cast<std::int32_t>(arrays.kind.convention);
    groups_.experts = frame.experts;
    groups_.rows = frame.physical_rows;
    groups_.pad = frame.pad;
    groups_.cap = frame.cap;
    groups_.offsets = view(offsets_, wide);
    groups_.sizes = view(sizes_, wide);
    if (arrays.kind.convention == Convention::kProblems) { add_problems(arrays, frame); }
  }

  const GroupArrays& groups() const { return groups_; }

 private:
  struct Stored {
    std::vector<std::int32_t> narrow;
    std::vector<std::int64_t> wide;
  };
  static constexpr Index kRowBytes = 24;

  static Stored stored(const std::vector<Index>& values) {
    Stored both;
    for (const Index value : values) {
      both.narrow.push_back(static_cast<std::int32_t>(value));
      both.wide.push_back(value);
    }
    return both;
  }
  static IndexArray view(const Stored& both, bool wide) {
    return {wide ? static_cast<const void*>(both.wide.data()) : both.narrow.data(),
            static_cast<Index>(both.wide.size()), wide};
  }
  void add_problems(const OffsetArrays& arrays, const OffsetsFrame& frame) {
    const Index sizes[3][3] = {
        {-1, frame.n, frame.k}, {-1, frame.k, frame.n}, {frame.k, frame.n, -1}};
    for (int i = 0; i < 3; ++i) {
      groups_.expected_sizes[i] = sizes[static_cast<int>(frame.pass)][i];
    }
    // Addresses are compared, never followed.
    const std::uintptr_t base = std::uintptr_t{1} << 40;
    for (const Index row : arrays.values) {
      pointers_.push_back(
          reinterpret_cast<const void*>(base + static_cast<std::uintptr_t>(row * kRowBytes)));
    }
    groups_.offsets = {};
    groups_.row_pointers = pointers_.data();
    groups_.row_base = reinterpret_cast<const void*>(base);
    groups_.row_bytes = kRowBytes;
  }

  Stored offsets_, sizes_;
  std::vector<const void*> pointers_;
  GroupArrays groups_;
};

}  // namespace assay
