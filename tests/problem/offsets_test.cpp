#include "src/problem/offsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/problem/parsed.h"
#include "tests/problem/random_case.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CaseSpec case_of(const std::string& words) { return parsed("pass=fwd k=16 n=24 " + words); }

OffsetArrays encoded(const std::string& words) {
  const CaseSpec spec = case_of(words);
  return encode_offsets(lay_out_rows(spec), spec.offsets, frame_of(spec));
}

TEST(EncodeOffsets, EveryConventionOfOneRouting) {
  EXPECT_THAT(encoded("rows=3,0,5 offsets=ends").values, ElementsAre(3, 3, 8));
  EXPECT_THAT(encoded("rows=3,0,5 offsets=ends:i64").values, ElementsAre(3, 3, 8));
  EXPECT_EQ(encoded("rows=3,0,5 offsets=ends:i64").kind.type, IndexType::kI64);
  EXPECT_THAT(encoded("rows=3,0,5 offsets=starts:i64").values, ElementsAre(0, 3, 3));
  EXPECT_THAT(encoded("rows=3,0,5 offsets=starts:i64").sizes, ElementsAre(3, 0, 5));
  EXPECT_THAT(encoded("rows=3,0,5 offsets=indptr").values, ElementsAre(0, 3, 3, 8));
  EXPECT_THAT(encoded("rows=3,0,5 offsets=counts").values, ElementsAre(3, 0, 5));
  EXPECT_THAT(encoded("rows=3,0,5 offsets=masked cap=6").values, ElementsAre(3, 0, 5));
  EXPECT_THAT(encoded("rows=3,0,5 offsets=row_ids pad=4 tail=1").values,
              ElementsAre(0, 0, 0, -1, 2, 2, 2, 2, 2, -1, -1, -1, -1));
  EXPECT_THAT(encoded("rows=3,0,5 offsets=padded_ends pad=4").values, ElementsAre(3, 4, 9));
}

TEST(EncodeOffsets, ProblemsAreTheProductsOfThePass) {
  EXPECT_THAT(encoded("rows=3,5 offsets=problems pad=4").values, ElementsAre(0, 4));
  EXPECT_THAT(encoded("rows=3,5 offsets=problems").sizes, ElementsAre(3, 24, 16, 5, 24, 16));
  CaseSpec spec = case_of("rows=3,5 offsets=problems");
  spec.pass = Pass::kDgrad;
  EXPECT_THAT(encode_offsets(lay_out_rows(spec), spec.offsets, frame_of(spec)).sizes,
              ElementsAre(3, 16, 24, 5, 16, 24));
  spec.pass = Pass::kWgrad;
  EXPECT_THAT(encode_offsets(lay_out_rows(spec), spec.offsets, frame_of(spec)).sizes,
              ElementsAre(16, 24, 3, 16, 24, 5));
}

RC_GTEST_PROP(Offsets, DecodeOfEncodeIsTheLayout, ()) {
  const CaseSpec spec = *any_case();
  const RowLayout layout = lay_out_rows(spec);
  const OffsetsFrame frame = frame_of(spec);
  const Result<RowLayout> decoded =
      decode_offsets(encode_offsets(layout, spec.offsets, frame), frame);
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(*decoded == layout);
}

// Whatever validate lets pass decodes to groups inside the rows that do not overlap; where pointers
// tell them, in any order.
RC_GTEST_PROP(Offsets, DamagedArraysAreRefusedOrStillALayout, ()) {
  const CaseSpec spec = *any_case();
  const OffsetsFrame frame = frame_of(spec);
  OffsetArrays arrays = encode_offsets(lay_out_rows(spec), spec.offsets, frame);
  std::vector<Index>& damaged =
      !arrays.sizes.empty() && *rc::gen::arbitrary<bool>() ? arrays.sizes : arrays.values;
  RC_PRE(!damaged.empty());
  const auto at = *rc::gen::inRange<std::size_t>(0, damaged.size());
  damaged[at] = *rc::gen::oneOf(rc::gen::inRange<Index>(-3, 400), rc::gen::arbitrary<Index>());
  const Result<RowLayout> decoded = decode_offsets(arrays, frame);
  if (!decoded) { return; }
  const bool any_order = traits(spec.offsets.convention).by_pointers;
  Index end = 0;
  for (const Index g : experts_in_place(*decoded)) {
    RC_ASSERT(decoded->counts[g] >= 0);
    if (any_order && decoded->counts[g] == 0) { continue; }
    RC_ASSERT(decoded->starts[g] >= end);
    end = decoded->starts[g] + decoded->counts[g];
  }
  RC_ASSERT(any_order || std::ranges::is_sorted(decoded->starts));
  RC_ASSERT(end <= std::max(frame.physical_rows, frame.cap * frame.experts));
}

struct BadArrays {
  const char* words;
  std::vector<Index> values, sizes;
  const char* message;
};
void PrintTo(const BadArrays& bad, std::ostream* stream) {
  *stream << bad.words << ": " << bad.message;
}

class BadOffsets : public testing::TestWithParam<BadArrays> {};
INSTANTIATE_TEST_SUITE_P(
    All, BadOffsets,
    testing::Values(
        BadArrays{"rows=3,0,5", {3, 2, 8}, {}, "ends[1] = 2 is below ends[0] = 3: not monotone"},
        BadArrays{"rows=3,0,5", {3, 3, 9}, {}, "ends[2] = 9 is past the 8 rows"},
        BadArrays{"rows=3,0,5", {-1, 3, 8}, {}, "ends[0] = -1 is negative"},
        BadArrays{"rows=3,0,5", {3, 8}, {}, "ends has 2 entries, expected 3: one for each expert"},
        BadArrays{"rows=3,0,5", {3, 3, 2147483648}, {}, "ends[2] = 2147483648 does not fit int32"},
        BadArrays{"rows=3,0,5 offsets=indptr", {1, 3, 3, 8}, {}, "indptr[0] = 1, expected 0"},
        BadArrays{
            "rows=3,0,5 offsets=indptr", {0, 3, 8}, {}, "expected 4: one for each expert and"},
        BadArrays{"rows=3,0,5 offsets=indptr:i64",
                  {0, 3, 3, Index{1} << 40},
                  {},
                  "indptr[3] = 1099511627776 is past the 8 rows"},
        BadArrays{"rows=3,0,5 offsets=counts",
                  {3, 1, 5},
                  {},
                  "counts[2] = 5 is past the rows: 4 of 8 are taken"},
        BadArrays{"rows=3,0,5 offsets=counts", {3, -2, 5}, {}, "counts[1] = -2 is negative"},
        BadArrays{"rows=3,0,5 offsets=masked cap=6",
                  {3, 7, 5},
                  {},
                  "masked[1] = 7 is past the 6 rows of a buffer"},
        BadArrays{"rows=3,0,5 offsets=starts",
                  {0, 2, 3},
                  {3, 0, 5},
                  "starts[1] = 2 is below 3, the end of group 0: groups overlap"},
        BadArrays{"rows=3,0,5 offsets=starts",
                  {0, 3, 4},
                  {3, 0, 5},
                  "starts[2] = 4 with 5 rows is past the 8 rows"},
        BadArrays{
            "rows=3,0,5 offsets=starts", {0, 3, 3}, {3, 0}, "sizes has 2 entries, expected 3"},
        BadArrays{"rows=3,0,5 offsets=starts", {0, 3, 3}, {3, -1, 5}, "sizes[1] = -1 is negative"},
        BadArrays{"rows=3,0,5 offsets=padded_ends pad=4",
                  {3, 3, 9},
                  {},
                  "padded_ends[1] = 3 is below 4, which is padded_ends[0] = 3 aligned up to 4"},
        BadArrays{"rows=2,2 offsets=row_ids",
                  {0, 2, 1, 1},
                  {},
                  "row_ids[1] = 2 is past the last of 2 experts"},
        BadArrays{"rows=2,2 offsets=row_ids",
                  {0, 1, 0, 1},
                  {},
                  "row_ids[2] = 0 is below 1, the expert before it: out of order"},
        BadArrays{"rows=2,2 offsets=row_ids",
                  {0, -1, 0, 1},
                  {},
                  "row_ids[2] = 0 continues an expert after padding rows"},
        BadArrays{"rows=2,2 offsets=row_ids", {0, -2, 1, 1}, {}, "row_ids[1] = -2 is negative"},
        BadArrays{"rows=2,2 offsets=row_ids pad=2",
                  {0, 1, 1, -1},
                  {},
                  "row_ids[1] = 1 starts an expert at a row that is not a multiple of 2"},
        BadArrays{"rows=2,2 offsets=row_ids", {0, 0, 1}, {}, "expected 4: one for each row"},
        BadArrays{"rows=3,5 offsets=problems",
                  {0, 3},
                  {3, 24, 16, 5, 23, 16},
                  "problems[1].N = 23, the case has 24"},
        BadArrays{"rows=3,5 offsets=problems",
                  {0, 2},
                  {3, 24, 16, 5, 24, 16},
                  "first rows[1] = 2 is below 3, the end of group 0"},
        BadArrays{"rows=3,5 offsets=problems",
                  {4, 0},
                  {3, 24, 16, 5, 24, 16},
                  "first rows[0] = 4 is below 5, the end of group 1"},
        BadArrays{
            "rows=3,5 offsets=problems", {0, 3}, {3, 24, 16, 5, 24}, "problems has 5 entries"}));

TEST_P(BadOffsets, TheFirstBadEntryIsNamed) {
  const CaseSpec spec = case_of(GetParam().words);
  const Status status =
      validate_offsets({spec.offsets, GetParam().values, GetParam().sizes}, frame_of(spec));
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message, HasSubstr(GetParam().message));
}

TEST(ValidateOffsets, KindsThatDoNotExistAreRefused) {
  const CaseSpec spec = case_of("rows=3 offsets=row_ids");
  const OffsetArrays arrays{{Convention::kRowIds, IndexType::kI64}, {0, 0, 0}, {}};
  const Status status = validate_offsets(arrays, frame_of(spec));
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message, "row_ids:i64 is not a form of row_ids; allowed: row_ids");
}

}  // namespace
}  // namespace assay
