#include "src/harness/memory/told_offsets.h"

#include <cstring>

#include "src/problem/convention.h"

namespace assay {
namespace {

template <class T>
std::vector<std::byte> narrow(const std::vector<Index>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

template <class T>
std::vector<Index> widen(const std::vector<std::byte>& bytes) {
  std::vector<Index> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
  return values;
}

std::vector<std::byte> store(const std::vector<Index>& values, IndexType type) {
  return type == IndexType::kI32 ? narrow<std::int32_t>(values) : narrow<std::int64_t>(values);
}

std::vector<Index> read(const std::vector<std::byte>& bytes, IndexType type) {
  return type == IndexType::kI32 ? widen<std::int32_t>(bytes) : widen<std::int64_t>(bytes);
}

}  // namespace

StoredOffsets store_offsets(const OffsetArrays& arrays) {
  StoredOffsets stored;
  stored.type = arrays.kind.type;
  if (traits(arrays.kind.convention).by_pointers) {
    stored.primary = store(arrays.sizes, stored.type);
  } else {
    stored.primary = store(arrays.values, stored.type);
    stored.sizes = store(arrays.sizes, stored.type);
  }
  return stored;
}

Status validate_as_told(const Problem& problem) {
  const OffsetsKind told = problem.spec.told;
  const OffsetsFrame frame = frame_of(problem.spec);
  if (told == problem.offsets.kind) { return validate_offsets(problem.offsets, frame); }
  const StoredOffsets stored = store_offsets(problem.offsets);
  OffsetArrays arrays{.kind = told, .values = {}, .sizes = {}};
  const std::vector<Index> primary = read(stored.primary, told.type);
  if (traits(told.convention).by_pointers) {
    // Without pointer arrays there are no first rows either.
    arrays.sizes = primary;
    if (traits(problem.offsets.kind.convention).by_pointers) {
      arrays.values = problem.offsets.values;
    }
  } else {
    arrays.values = primary;
    if (traits(told.convention).has_sizes()) { arrays.sizes = read(stored.sizes, told.type); }
  }
  return validate_offsets(arrays, frame);
}

}  // namespace assay
