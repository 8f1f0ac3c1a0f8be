// Offset arrays made from a fuzzer's bytes: right ones, right ones with an entry or two changed,
// one convention's arrays taken for another's, and plain garbage.
#pragma once

#include <vector>

#include "fuzz/byte_reader.h"
#include "src/kernels/schedule/group_reader.h"
#include "src/problem/convention.h"

namespace assay {

struct OffsetsInput {
  OffsetArrays arrays;
  OffsetsFrame frame;
};
OffsetsInput read_offsets_input(ByteReader& bytes);

// The arrays as they lie in a kernel's memory. Not copied: the reader's view points into it.
class StoredGroups {
 public:
  // Entries that a 32-bit array cannot hold are cut to their low bits, as memory would.
  explicit StoredGroups(const OffsetsInput& input);
  StoredGroups(const StoredGroups&) = delete;
  StoredGroups& operator=(const StoredGroups&) = delete;

  const GroupArrays& arrays() const { return arrays_; }
  bool exact() const { return exact_; }  // no entry was cut

 private:
  IndexArray store(const std::vector<Index>& values, IndexType type);

  std::vector<std::vector<std::byte>> bytes_;
  std::vector<const void*> row_pointers_;
  GroupArrays arrays_;
  bool exact_ = true;
};

}  // namespace assay
