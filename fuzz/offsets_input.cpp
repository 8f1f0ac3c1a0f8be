#include "fuzz/offsets_input.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace assay {
namespace {

constexpr Index kMostExperts = 24;
constexpr Index kMostPhysicalRows = Index{1} << 42;  // what the largest case has
constexpr std::uintptr_t kRowBase = std::uintptr_t{1} << 46;
constexpr Index kRowBytes = 64;

OffsetsKind read_kind(ByteReader& bytes) {
  const std::vector<OffsetsKind>& kinds = all_offsets_kinds();
  return kinds[static_cast<std::size_t>(bytes.below(static_cast<Index>(kinds.size())))];
}

Index read_pad(ByteReader& bytes) {
  constexpr Index kPads[] = {1, 1, 2, 3, 4, 8, 16, 128, 1 << 20};
  return kPads[bytes.below(std::size(kPads))];
}

// A case that makes sense, laid out and encoded.
OffsetsInput read_valid(ByteReader& bytes) {
  CaseSpec spec;
  spec.pass = static_cast<Pass>(bytes.below(3));
  spec.offsets = read_kind(bytes);
  spec.k = bytes.between(1, 9);
  spec.n = bytes.between(1, 9);
  const ConventionTraits& row = traits(spec.offsets.convention);
  if (row.expresses_gaps) { spec.pad = read_pad(bytes); }
  const Index experts = bytes.between(1, kMostExperts);
  for (Index g = 0; g < experts; ++g) { spec.rows.push_back(bytes.below(256)); }
  if (row.has_buffers && bytes.below(2) == 1) {
    spec.cap = *std::max_element(spec.rows.begin(), spec.rows.end()) + bytes.below(4);
  }
  if (!row.has_buffers) { spec.tail = bytes.below(8); }
  if (row.has_row_entries) { spec.pad = std::min<Index>(spec.pad, 16); }
  OffsetsInput input;
  input.frame = frame_of(spec);
  input.arrays = encode_offsets(lay_out_rows(spec), spec.offsets, input.frame);
  return input;
}

std::vector<Index> read_values(ByteReader& bytes) {
  std::vector<Index> values(static_cast<std::size_t>(bytes.below(3 * kMostExperts)));
  for (Index& value : values) { value = bytes.number(); }
  return values;
}

OffsetsInput read_garbage(ByteReader& bytes) {
  OffsetsInput input;
  input.frame.pass = static_cast<Pass>(bytes.below(3));
  input.arrays.kind = read_kind(bytes);
  input.frame.experts = bytes.between(1, kMostExperts);
  input.frame.k = bytes.between(1, 9);
  input.frame.n = bytes.between(1, 9);
  input.frame.pad = read_pad(bytes);
  input.frame.cap = std::clamp<Index>(bytes.number(), 0, kMostPhysicalRows);
  input.frame.physical_rows = std::clamp<Index>(bytes.number(), 0, kMostPhysicalRows);
  input.arrays.values = read_values(bytes);
  input.arrays.sizes = read_values(bytes);
  return input;
}

void change_entry(std::vector<Index>& values, ByteReader& bytes) {
  if (values.empty()) { return; }
  Index& value = values[bytes.below(static_cast<Index>(values.size()))];
  switch (bytes.below(4)) {
    case 0:
      value += value < INT64_MAX ? 1 : 0;
      return;
    case 1:
      value -= value > INT64_MIN ? 1 : 0;
      return;
    default:
      value = bytes.number();
  }
}

void change_arrays(OffsetsInput& input, ByteReader& bytes) {
  switch (bytes.below(8)) {
    case 0:
      return change_entry(input.arrays.sizes, bytes);
    case 1:
      input.arrays.values.push_back(bytes.number());
      return;
    case 2:
      if (!input.arrays.values.empty()) { input.arrays.values.pop_back(); }
      return;
    case 3:
      input.arrays.kind = read_kind(bytes);
      return;
    case 4:
      input.frame.physical_rows =
          std::clamp<Index>(input.frame.physical_rows + bytes.between(-2, 2), 0, kMostPhysicalRows);
      return;
    default:
      return change_entry(input.arrays.values, bytes);
  }
}

}  // namespace

OffsetsInput read_offsets_input(ByteReader& bytes) {
  const Index kind = bytes.below(4);
  OffsetsInput input = kind == 0 ? read_garbage(bytes) : read_valid(bytes);
  // kind 1 stays right; the others are changed once to four times.
  for (Index changes = kind < 2 ? 0 : bytes.between(1, 4); changes > 0; --changes) {
    change_arrays(input, bytes);
  }
  return input;
}

StoredGroups::StoredGroups(const OffsetsInput& input) {
  const OffsetsFrame& frame = input.frame;
  const OffsetArrays& offsets = input.arrays;
  arrays_.convention = static_cast<std::int32_t>(offsets.kind.convention);
  arrays_.experts = frame.experts;
  arrays_.rows = frame.physical_rows;
  arrays_.pad = frame.pad;
  arrays_.cap = frame.cap;
  const ConventionTraits& row = traits(offsets.kind.convention);
  if (!row.by_pointers) {
    arrays_.offsets = store(offsets.values, offsets.kind.type);
    if (row.has_sizes()) { arrays_.sizes = store(offsets.sizes, offsets.kind.type); }
    return;
  }
  arrays_.sizes = store(offsets.sizes, IndexType::kI32);
  const Operation& op = operation(frame.pass);
  const AxisSizes expected{.rows = -1, .k = frame.k, .n = frame.n};
  const Axis triple[] = {op.m(), op.n(), op.depth()};
  for (int i = 0; i < 3; ++i) { arrays_.expected_sizes[i] = expected[triple[i]]; }
  // A call has a pointer for each expert. Rows beyond what a pointer reaches are cut.
  for (Index g = 0; g < frame.experts; ++g) {
    const bool there = g < static_cast<Index>(offsets.values.size());
    const Index start = there ? offsets.values[g] : 0;
    constexpr Index kFarthest = Index{1} << 48;
    const Index reachable = std::clamp(start, -kFarthest / kRowBytes, kFarthest / kRowBytes);
    exact_ = exact_ && there && reachable == start;
    const auto address =
        static_cast<std::uintptr_t>(static_cast<Index>(kRowBase) + reachable * kRowBytes);
    row_pointers_.push_back(reinterpret_cast<const void*>(address));
  }
  exact_ = exact_ && static_cast<Index>(offsets.values.size()) == frame.experts;
  arrays_.row_pointers = row_pointers_.data();
  arrays_.row_base = reinterpret_cast<const void*>(kRowBase);
  arrays_.row_bytes = kRowBytes;
}

IndexArray StoredGroups::store(const std::vector<Index>& values, IndexType type) {
  const bool wide = type == IndexType::kI64;
  const std::size_t entry_bytes = wide ? sizeof(std::int64_t) : sizeof(std::int32_t);
  // Exactly as long as the entries, so that a sanitizer sees a step past them.
  std::vector<std::byte>& bytes = bytes_.emplace_back(values.size() * entry_bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<std::int32_t>(values[i]);
    exact_ = exact_ && (wide || narrow == values[i]);
    if (wide) {
      std::memcpy(bytes.data() + i * entry_bytes, &values[i], entry_bytes);
    } else {
      std::memcpy(bytes.data() + i * entry_bytes, &narrow, entry_bytes);
    }
  }
  return {bytes.data(), static_cast<Index>(values.size()), wide};
}

}  // namespace assay
