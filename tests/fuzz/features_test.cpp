#include "fuzz/features.h"

#include <limits>

#include <gtest/gtest.h>

#include "fuzz/byte_reader.h"
#include "fuzz/case_features.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

TEST(Features, BucketsStayInTheirGroups) {
  for (Index count = 0; count < 100000; count = count * 3 / 2 + 1) {
    EXPECT_LT(log2_bucket(count), kLog2Buckets);
  }
  EXPECT_EQ(log2_bucket(4), 4);
  EXPECT_EQ(log2_bucket(7), 4);
  EXPECT_EQ(log2_bucket(8), 5);
  EXPECT_EQ(log2_bucket(std::numeric_limits<Index>::max()), kLog2Buckets - 1);
}

TEST(Features, RatiosFallIntoDoublings) {
  EXPECT_EQ(ratio_bucket(0), 0);
  EXPECT_EQ(ratio_bucket(1e-30), 1);
  EXPECT_EQ(ratio_bucket(0.3), kRatioBuckets - 3);
  EXPECT_EQ(ratio_bucket(0.6), kRatioBuckets - 2);
  EXPECT_EQ(ratio_bucket(1), kRatioBuckets - 2);
  EXPECT_EQ(ratio_bucket(1.5), kRatioBuckets - 1);
  EXPECT_EQ(ratio_bucket(std::numeric_limits<double>::quiet_NaN()), kRatioBuckets - 1);
}

TEST(Features, PlacesTellBordersApart) {
  for (const Index block : {1, 2, 3, 7, 8, 64, 128}) {
    for (Index place = 0; place < block; ++place) {
      EXPECT_GE(place_bucket(place, block), 0);
      EXPECT_LT(place_bucket(place, block), kPlaceBuckets) << place << " of " << block;
    }
  }
  EXPECT_EQ(place_bucket(127, 128), kPlaceBuckets - 1);
  EXPECT_EQ(place_bucket(126, 128), kPlaceBuckets - 2);
  EXPECT_NE(place_bucket(64, 128), place_bucket(100, 128));
}

TEST(Features, EveryKindOfCaseMarksSomethingNew) {
  Manifest manifest;
  manifest.tactics = {"rows16"};
  manifest.tiles = {{"rows16", 16, 32, 64}};
  Index before = features_reached();
  for (const char* text :
       {"pass=fwd k=8 n=8 rows=3", "pass=dgrad k=8 n=8 rows=3", "pass=fwd k=8 n=8 rows=0,0,3",
        "pass=fwd k=8 n=8 rows=3 offsets=counts", "pass=fwd k=8 n=8 rows=3 fill=normal",
        "pass=fwd k=8 n=8 rows=3 tactic=rows16", "pass=fwd k=8 n=8 rows=17,3",
        "pass=fwd k=8 n=8 rows=3 tail=2", "pass=fwd k=200 n=8 rows=3",
        "pass=fwd k=8 n=90 rows=3"}) {
    const auto spec = parse_case(text);
    ASSERT_TRUE(spec.has_value()) << spec.error().message;
    mark_case_features(*spec, manifest);
    EXPECT_GT(features_reached(), before) << text;
    before = features_reached();
  }
  EXPECT_GT(features_reached(FeatureGroup::kTactic), 1);
}

TEST(ByteReader, GivesZerosPastTheEnd) {
  const std::uint8_t data[] = {250, 1, 0, 0, 128, 7};
  ByteReader bytes(data, sizeof data);
  EXPECT_EQ(bytes.number(), Index{0x80000001});
  EXPECT_EQ(bytes.number(), 7);
  EXPECT_TRUE(bytes.at_end());
  EXPECT_EQ(bytes.number(), 0);
  EXPECT_EQ(bytes.below(9), 0);
}

}  // namespace
}  // namespace assay
