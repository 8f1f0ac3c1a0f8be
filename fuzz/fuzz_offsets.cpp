// Offset arrays of every convention: what validation accepts decodes to rows inside the operands
// without overlap, expert after expert or where pointers lead, and encodes back to the same arrays;
// the kernels' reader agrees on what is valid; what is refused is refused in one line.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/features.h"
#include "fuzz/note.h"
#include "fuzz/offsets_input.h"
#include "fuzz/target.h"
#include "src/core/require.h"

namespace assay {
namespace {

// What became of the arrays: one feature for each convention.
enum class Fate : std::uint8_t { kRefused, kAccepted, kEmpty, kGaps, kTail };

void mark_fate(const OffsetsInput& input, Fate fate) {
  mark_feature(FeatureGroup::kSchedule,
               static_cast<Index>(input.arrays.kind.convention) * 5 + static_cast<Index>(fate));
}

void require_rows_inside(const RowLayout& layout, const OffsetsInput& input) {
  const OffsetsFrame& frame = input.frame;
  ASSAY_REQUIRE(static_cast<Index>(layout.starts.size()) == frame.experts, layout.starts.size());
  ASSAY_REQUIRE(static_cast<Index>(layout.counts.size()) == frame.experts, layout.counts.size());
  ASSAY_REQUIRE(layout.physical_rows == frame.physical_rows, layout.physical_rows);
  Index end = 0;
  const bool anywhere = input.arrays.kind.convention == Convention::kProblems;
  const std::vector<Index> in_place = experts_in_place(layout);
  for (std::size_t i = 0; i < layout.starts.size(); ++i) {
    const std::size_t g = anywhere ? static_cast<std::size_t>(in_place[i]) : i;
    const Index start = layout.starts[g];
    const Index count = layout.counts[g];
    ASSAY_REQUIRE(count >= 0, g, count);
    if (count == 0) { continue; }
    ASSAY_REQUIRE(start >= end, g, start, end);
    ASSAY_REQUIRE(count <= frame.physical_rows && start <= frame.physical_rows - count, g, start,
                  count, frame.physical_rows);
    if (start > end) { mark_fate(input, Fate::kGaps); }
    end = start + count;
  }
  mark_fate(input, end == 0                    ? Fate::kEmpty
                   : end < frame.physical_rows ? Fate::kTail
                                               : Fate::kAccepted);
}

// The reader leaves it to its caller where pointers lead anywhere.
bool any_overlap(std::vector<RowGroup> groups) {
  std::erase_if(groups, [](const RowGroup& group) { return group.count == 0; });
  std::ranges::sort(groups, {}, &RowGroup::start);
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].start < groups[i - 1].start + groups[i - 1].count) { return true; }
  }
  return false;
}

// Whether the kernels' reader finds every group valid; with its groups.
bool read_groups(const StoredGroups& stored, std::vector<RowGroup>& groups) {
  GroupReader reader(stored.arrays());
  bool valid = lengths_fit(stored.arrays());
  for (Index g = 0; g < stored.arrays().experts; ++g) {
    groups.push_back(reader.next());
    valid = valid && groups.back().valid;
  }
  return valid && reader.rest_is_valid() && !any_overlap(groups);
}

void require_agreement(const OffsetsInput& input, const Result<RowLayout>& layout) {
  const StoredGroups stored(input);
  if (!stored.exact()) { return; }
  std::vector<RowGroup> groups;
  const bool valid = read_groups(stored, groups);
  ASSAY_REQUIRE(valid == layout.has_value(), name(input.arrays.kind),
                layout ? "" : layout.error().message);
  if (!layout) { return; }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    ASSAY_REQUIRE(groups[g].count == layout->counts[g], g, groups[g].count, layout->counts[g]);
    // An empty expert owns no row, wherever it starts.
    const bool same_start = groups[g].start == layout->starts[g];
    ASSAY_REQUIRE(same_start || groups[g].count == 0, g, groups[g].start, layout->starts[g]);
  }
}

void note_fate(const OffsetsInput& input, const Status& valid) {
  if (!wants_notes()) { return; }
  const std::string fate = valid ? std::to_string(input.frame.experts) + "_experts"
                                 : message_words(valid.error().message);
  note(name(input.arrays.kind) + (valid ? "_accepted_" : "_refused_") + fate);
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::ByteReader bytes(data, size);
  const assay::OffsetsInput input = assay::read_offsets_input(bytes);
  const assay::Status valid = assay::validate_offsets(input.arrays, input.frame);
  assay::note_fate(input, valid);
  const assay::Result<assay::RowLayout> layout = assay::decode_offsets(input.arrays, input.frame);
  ASSAY_REQUIRE(valid.has_value() == layout.has_value());
  if (!layout) {
    ASSAY_REQUIRE(layout.error().message == valid.error().message);
    ASSAY_REQUIRE(!valid.error().message.empty());
    ASSAY_REQUIRE(valid.error().message.find('\n') == std::string::npos, valid.error().message);
    assay::mark_fate(input, assay::Fate::kRefused);
  } else {
    assay::require_rows_inside(*layout, input);
    const auto encoded = assay::encode_offsets(*layout, input.arrays.kind, input.frame);
    ASSAY_REQUIRE(encoded.values == input.arrays.values, assay::name(input.arrays.kind));
    // Arrays that the convention does not have are not looked at.
    const bool has_sizes = !encoded.sizes.empty();
    ASSAY_REQUIRE(!has_sizes || encoded.sizes == input.arrays.sizes);
    const auto again = assay::decode_offsets(encoded, input.frame);
    ASSAY_REQUIRE(again.has_value() && *again == *layout, assay::name(input.arrays.kind));
  }
  assay::require_agreement(input, layout);
  return 0;
}
