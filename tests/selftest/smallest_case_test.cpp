#include "src/selftest/smallest_case.h"

#include <gtest/gtest.h>

#include "src/problem/case_text.h"

namespace assay {
namespace {

Manifest with_tiles_of(Index rows) {
  Manifest manifest;
  manifest.tiles = {{"default", rows, 64, 32}};
  return manifest;
}

std::string judged(const char* line, const SmallestCase& smallest = {}) {
  const auto spec = parse_case(line);
  return spec ? too_large(*spec, smallest, with_tiles_of(64)) : spec.error().message;
}

TEST(SmallestCase, ReadsWhatADefectNeeds) {
  EXPECT_EQ(*parse_smallest("experts 1025"), (SmallestCase{.experts = 1025}));
  EXPECT_EQ(*parse_smallest("rows 5, reduction 257"), (SmallestCase{.rows = 5, .reduction = 257}));
  EXPECT_EQ(*parse_smallest(""), SmallestCase{});
}

TEST(SmallestCase, RefusesOtherWords) {
  for (const char* text : {"5 experts", "experts", "experts 0", "experts many", "waves 3"}) {
    const auto read = parse_smallest(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_NE(read.error().message.find(text), std::string::npos) << read.error().message;
  }
}

TEST(SmallestCase, HoldsCasesToThreeExpertsAndTwoTilesOfRows) {
  EXPECT_EQ(judged("pass=fwd k=1 n=1 rows=0,1,127"), "");
  EXPECT_EQ(judged("pass=fwd k=1 n=1 rows=0,1,0,0"), "4 experts, 3 at most");
  EXPECT_EQ(judged("pass=fwd k=1 n=1 rows=129"), "129 rows, 128 at most");
}

TEST(SmallestCase, AllowsTwiceWhatACapacityNeeds) {
  EXPECT_EQ(judged("pass=fwd k=1 n=1 rows=1*514", {.experts = 257}), "514 rows, 128 at most");
  EXPECT_EQ(judged("pass=fwd k=1 n=1 rows=0*513,1", {.experts = 257}), "");
  EXPECT_EQ(judged("pass=fwd k=1 n=1 rows=0*514,1", {.experts = 257}), "515 experts, 514 at most");
  EXPECT_EQ(judged("pass=fwd k=514 n=1 rows=1", {.reduction = 257}), "");
  EXPECT_EQ(judged("pass=fwd k=515 n=1 rows=1", {.reduction = 257}),
            "515 products an element, 514 at most");
  EXPECT_EQ(judged("pass=wgrad k=1 n=1 rows=514", {.reduction = 257}), "");
  EXPECT_EQ(judged("pass=dgrad k=515 n=1 rows=1", {.columns = 257}), "515 columns, 514 at most");
}

}  // namespace
}  // namespace assay
