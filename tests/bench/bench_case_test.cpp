#include "src/bench/bench_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& text) {
  const auto read = parse_bench_cases(text, "f.csv");
  return read ? "accepted" : read.error().message;
}

TEST(BenchCases, ReadsALineAndSkipsComments) {
  const auto read = parse_bench_cases("# counts\n\nsmall,64,32,3,0,5\n", "f.csv");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  const BenchCase& only = read->front();
  EXPECT_EQ(only.name, "small");
  EXPECT_EQ(only.k, 64);
  EXPECT_EQ(only.n, 32);
  EXPECT_THAT(only.rows, ElementsAre(3, 0, 5));
  EXPECT_EQ(only.total(), 8);
  EXPECT_EQ(only.largest(), 5);
  EXPECT_EQ(only.empty(), 1);
  EXPECT_EQ(only.useful_flop(), 2.0 * 8 * 64 * 32);
}

TEST(BenchCases, LeastBytesCountBusyWeightsAndAllGradients) {
  const BenchCase shape{"c", 64, 32, {3, 0, 5}};
  const double rows = 8 * (64 + 32), matrix = 64 * 32;
  EXPECT_EQ(shape.least_bytes(Pass::kFwd, 2), 2 * (rows + 2 * matrix));
  EXPECT_EQ(shape.least_bytes(Pass::kDgrad, 2), 2 * (rows + 2 * matrix));
  EXPECT_EQ(shape.least_bytes(Pass::kWgrad, 2), 2 * (rows + 3 * matrix));
}

TEST(BenchCases, RefusalsNameLineAndWord) {
  EXPECT_THAT(refusal("a,1,1,1\nb,x,1,1\n"), HasSubstr("f.csv line 2: 'x' is not a valid k"));
  EXPECT_THAT(refusal("a,1,0,1\n"), HasSubstr("'0' is not a valid n"));
  EXPECT_THAT(refusal("a,1,1,-1\n"), HasSubstr("'-1' is not a valid number of rows"));
  EXPECT_THAT(refusal("a,1,1,1073741825\n"), HasSubstr("'1073741825'"));
  EXPECT_THAT(refusal("a,1,1,1073741824,1\n"), HasSubstr("from 0 to 0"));
  EXPECT_THAT(refusal("a,1,1\n"), HasSubstr("name,k,n,rows"));
  EXPECT_THAT(refusal("a,1,1,0,0\n"), HasSubstr("'a' has no rows"));
  EXPECT_THAT(refusal("a,1,1,1\na,1,1,1\n"), HasSubstr("line 2: 'a' is repeated"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("holds no case"));
}

TEST(BenchCases, TheListOfTheCorpusHolds) {
  const auto read = read_bench_cases(std::string(ASSAY_SOURCE_DIR) + "/corpus/bench/cases.csv");
  ASSERT_TRUE(read) << read.error().message;
  std::vector<std::string> names;
  for (const BenchCase& c : *read) { names.push_back(c.name); }
  EXPECT_THAT(names, ElementsAre("seed-balanced", "seed-skew", "dsv3-ep8", "qwen3-30b", "mixtral",
                                 "one-hot", "decode", "small-kn"));
  EXPECT_EQ((*read)[1].total(), 16384);
  EXPECT_EQ((*read)[3].largest(), 5654);
}

TEST(BenchCases, AUniformPartnerKeepsTheTotal) {
  const BenchCase partner = uniform_partner({"c", 64, 32, {7, 0, 3, 0}});
  EXPECT_EQ(partner.name, "c, uniform");
  EXPECT_THAT(partner.rows, ElementsAre(3, 3, 2, 2));
}

}  // namespace
}  // namespace assay
