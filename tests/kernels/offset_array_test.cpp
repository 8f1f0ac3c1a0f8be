// The GPU's scan over the offsets against the reader that the CPU kernels use.
#include "src/kernels/schedule/offset_array.h"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "src/kernels/schedule/group_reader.h"

namespace assay {
namespace {

constexpr int kArrayRows = 100;

// Entries near the rows, and some far off.
std::vector<std::int64_t> draw_entries() {
  return *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-3, kArrayRows + 4),
                     rc::gen::inRange<std::int64_t>(0, 12), rc::gen::arbitrary<std::int64_t>())));
}

void expect_same_groups(const std::vector<std::int64_t>& entries, std::int32_t convention) {
  const bool indptr = convention == ASSAY_OFFSETS_INDPTR;
  const auto experts = static_cast<std::int32_t>(entries.size()) - (indptr ? 1 : 0);
  GroupArrays arrays;
  arrays.convention = convention;
  arrays.experts = experts;
  arrays.rows = kArrayRows;
  arrays.offsets = {entries.data(), static_cast<Index>(entries.size()), true};
  GroupReader reader(arrays);
  OffsetArray offsets;
  offsets.data = entries.data() + (indptr ? 1 : 0);
  offsets.experts = experts;
  offsets.rows = kArrayRows;
  offsets.wide = true;
  offsets.leading_zero = indptr;
  offsets.kind =
      convention == ASSAY_OFFSETS_COUNTS ? OffsetArray::Kind::kCounts : OffsetArray::Kind::kEnds;
  std::int32_t end = 0;
  bool valid = offsets.leading_entry_is_valid(), expected_valid = true;
  for (std::int32_t expert = 0; expert < experts; ++expert) {
    const RowGroup group = reader.next();
    const std::int32_t first = end;
    end = offsets.combine(end, offsets.term(offsets.entry(expert)));
    valid = valid && offsets.agrees(offsets.entry(expert), first, end);
    expected_valid = expected_valid && group.valid;
    RC_ASSERT(group.start == first);
    RC_ASSERT(group.count == end - first);
  }
  RC_ASSERT(valid == expected_valid);
}

RC_GTEST_PROP(OffsetArray, ReadsEndsAsTheCpuDoes, ()) {
  expect_same_groups(draw_entries(), ASSAY_OFFSETS_ENDS);
}

RC_GTEST_PROP(OffsetArray, ReadsCountsAsTheCpuDoes, ()) {
  expect_same_groups(draw_entries(), ASSAY_OFFSETS_COUNTS);
}

RC_GTEST_PROP(OffsetArray, ReadsIndptrAsTheCpuDoes, ()) {
  std::vector<std::int64_t> entries = draw_entries();
  entries.insert(entries.begin(), *rc::gen::element<std::int64_t>(0, 0, 1, -7));
  expect_same_groups(entries, ASSAY_OFFSETS_INDPTR);
}

RC_GTEST_PROP(OffsetArray, CombinesInAnyGrouping, ()) {
  OffsetArray offsets;
  offsets.rows = kArrayRows;
  offsets.kind = *rc::gen::element(OffsetArray::Kind::kEnds, OffsetArray::Kind::kCounts);
  const auto a = *rc::gen::inRange(0, kArrayRows + 1), b = *rc::gen::inRange(0, kArrayRows + 1),
             c = *rc::gen::inRange(0, kArrayRows + 1);
  RC_ASSERT(offsets.combine(offsets.combine(a, b), c) == offsets.combine(a, offsets.combine(b, c)));
  RC_ASSERT(offsets.combine(0, a) == a);
  RC_ASSERT(offsets.combine(a, 0) == a);
}

}  // namespace
}  // namespace assay
