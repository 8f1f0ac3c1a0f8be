#include "src/kernels/schedule/group_reader.h"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "src/kernels/registry.h"
#include "tests/kernels/grouped_call.h"
#include "tests/kernels/stored_offsets.h"

namespace assay {
namespace {

struct ReadGroups {
  std::vector<RowGroup> groups;
  bool valid = true;
};

ReadGroups read_all(const GroupArrays& arrays) {
  ReadGroups read{{}, lengths_fit(arrays)};
  GroupReader reader(arrays);
  for (Index expert = 0; expert < arrays.experts; ++expert) {
    read.groups.push_back(reader.next());
    read.valid = read.valid && read.groups.back().valid;
  }
  read.valid = read.valid && reader.rest_is_valid();
  return read;
}

// Pointers may lead to rows in any order, which a reader that goes forward does not compare.
bool overlap(const ReadGroups& read) {
  for (const RowGroup& one : read.groups) {
    for (const RowGroup& other : read.groups) {
      const bool apart =
          one.start + one.count <= other.start || other.start + other.count <= one.start;
      if (&one != &other && one.count > 0 && other.count > 0 && !apart) { return true; }
    }
  }
  return false;
}

CaseSpec drawn_case(const OffsetsKind& kind) {
  CaseSpec spec;
  spec.k = 5;
  spec.n = 6;
  spec.pass = *rc::gen::elementOf(std::vector<Pass>(std::begin(kAllPasses), std::end(kAllPasses)));
  const auto experts = *rc::gen::inRange<std::size_t>(1, 9);
  spec.rows = *rc::gen::container<std::vector<Index>>(
      experts, rc::gen::weightedOneOf<Index>(
                   {{1, rc::gen::just(Index{0})}, {2, rc::gen::inRange<Index>(0, 20)}}));
  spec.offsets = spec.told = kind;
  if (traits(kind.convention).expresses_gaps) { spec.pad = *rc::gen::element<Index>(1, 2, 8, 16); }
  if (traits(kind.convention).by_pointers) {
    spec.pointers = *rc::gen::element(Pointers::kInOrder, Pointers::kScattered);
  }
  if (kind.convention != Convention::kMasked) { spec.tail = *rc::gen::inRange<Index>(0, 5); }
  return spec;
}

// Any entry changed a little, to a border, or to something wild.
void disturb(std::vector<Index>& values, const OffsetsFrame& frame, bool wide) {
  if (values.empty()) { return; }
  const auto changes = *rc::gen::inRange(0, 3);
  for (int i = 0; i < changes; ++i) {
    auto& value = values[*rc::gen::inRange<std::size_t>(0, values.size())];
    const Index largest =
        wide ? std::numeric_limits<Index>::max() : Index{std::numeric_limits<std::int32_t>::max()};
    value =
        *rc::gen::oneOf(rc::gen::just(value < largest ? value + 1 : value),
                        rc::gen::just(value > -largest ? value - 1 : value),
                        rc::gen::inRange<Index>(-2, frame.physical_rows + 3),
                        rc::gen::element<Index>(0, -1, frame.physical_rows, frame.physical_rows + 1,
                                                largest, -largest - 1));
  }
}

TEST(GroupReader, ReadsTheDocumentsExampleInEveryConvention) {
  CaseSpec spec;
  spec.k = spec.n = 1;
  spec.rows = {3, 0, 5};
  for (const OffsetsKind& kind : all_offsets_kinds()) {
    spec.offsets = kind;
    const StoredOffsets stored(encode_offsets(lay_out_rows(spec), kind, frame_of(spec)),
                               frame_of(spec));
    const ReadGroups read = read_all(stored.groups());
    EXPECT_TRUE(read.valid) << name(kind);
    const Index second = kind.convention == Convention::kMasked ? 10 : 3;
    EXPECT_EQ(read.groups[0].start, 0) << name(kind);
    EXPECT_EQ(read.groups[0].count, 3) << name(kind);
    EXPECT_EQ(read.groups[1].count, 0) << name(kind);
    EXPECT_EQ(read.groups[2].start, second) << name(kind);
    EXPECT_EQ(read.groups[2].count, 5) << name(kind);
  }
}

RC_GTEST_PROP(GroupReaderProperty, ReadsBackWhatWasEncoded, ()) {
  const OffsetsKind kind = *rc::gen::elementOf(all_offsets_kinds());
  const CaseSpec spec = drawn_case(kind);
  const RowLayout layout = lay_out_rows(spec);
  const OffsetsFrame frame = frame_of(spec);
  const StoredOffsets stored(encode_offsets(layout, kind, frame), frame);
  const ReadGroups read = read_all(stored.groups());
  RC_ASSERT(read.valid);
  for (std::size_t g = 0; g < layout.counts.size(); ++g) {
    RC_ASSERT(read.groups[g].count == layout.counts[g]);
    RC_ASSERT(layout.counts[g] == 0 || read.groups[g].start == layout.starts[g]);
  }
}

RC_GTEST_PROP(GroupReaderProperty, IsSafeOnGarbageAndJudgesItAsTheValidatorDoes, ()) {
  const OffsetsKind kind = *rc::gen::elementOf(all_offsets_kinds());
  const CaseSpec spec = drawn_case(kind);
  const OffsetsFrame frame = frame_of(spec);
  OffsetArrays arrays = encode_offsets(lay_out_rows(spec), kind, frame);
  // Rows of problems become addresses: not so far away that they overflow.
  disturb(arrays.values, frame, kind.type == IndexType::kI64);
  disturb(arrays.sizes, frame, kind.type == IndexType::kI64);
  const bool valid = validate_offsets(arrays, frame).has_value();
  RC_CLASSIFY(valid);
  const StoredOffsets stored(arrays, frame);
  const ReadGroups read = read_all(stored.groups());
  for (const RowGroup& group : read.groups) {
    RC_ASSERT(group.start >= 0);
    RC_ASSERT(group.count >= 0);
    RC_ASSERT(group.start + group.count <= frame.physical_rows);
  }
  RC_ASSERT((read.valid && !overlap(read)) == valid);
  if (valid) {
    const RowLayout layout = decode_offsets(arrays, frame).value();
    for (std::size_t g = 0; g < layout.counts.size(); ++g) {
      RC_ASSERT(read.groups[g].count == layout.counts[g]);
      RC_ASSERT(layout.counts[g] == 0 || read.groups[g].start == layout.starts[g]);
    }
  }
}

RC_GTEST_PROP(GroupReaderProperty, IsSafeOnAnyArrayUnderAnyName, ()) {
  const OffsetsKind kind = *rc::gen::elementOf(all_offsets_kinds());
  const CaseSpec spec = drawn_case(kind);
  const OffsetsFrame frame = frame_of(spec);
  const StoredOffsets stored(encode_offsets(lay_out_rows(spec), kind, frame), frame);
  GroupArrays told = stored.groups();
  told.convention = static_cast<std::int32_t>(*rc::gen::inRange(-1, 9));
  told.pad = *rc::gen::element<Index>(0, 1, 8, std::numeric_limits<Index>::max());
  told.cap = *rc::gen::element<Index>(0, 1, 8, std::numeric_limits<Index>::max());
  for (const RowGroup& group : read_all(told).groups) {
    RC_ASSERT(group.start >= 0);
    RC_ASSERT(group.count >= 0);
    RC_ASSERT(group.start + group.count <= frame.physical_rows);
  }
}

TEST(InvalidOffsets, AreRefusedByEveryCpuKernelBeforeAnythingIsWritten) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    if (parse_manifest(kernel.manifest())->device != "cpu") { continue; }
    for (const Pass pass : kAllPasses) {
      CaseSpec spec;
      spec.pass = pass;
      spec.k = 7;
      spec.n = 9;
      spec.rows = {4, 2, 6};
      GroupedCall call(spec);
      const std::vector<std::byte> before = call.output_bytes();
      auto* ends = static_cast<std::int32_t*>(call.call().offsets->data);
      ends[1] = 3;
      EXPECT_EQ(call.run(kernel.run), ASSAY_ERROR) << kernel.name;
      EXPECT_NE(call.message().find("expert 1"), std::string::npos) << call.message();
      EXPECT_EQ(call.output_bytes(), before) << kernel.name;
    }
  }
}

}  // namespace
}  // namespace assay
