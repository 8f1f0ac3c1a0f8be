#include "src/core/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts(std::string_view line, char separator = ',') {
  std::vector<std::string> all;
  for (const CsvField& field : csv_fields(line, separator)) { all.push_back(field.text); }
  return all;
}

TEST(Csv, FieldsAreTrimmedAndMayBeEmpty) {
  EXPECT_THAT(texts(""), ElementsAre(""));
  EXPECT_THAT(texts(" a ,, b\t"), ElementsAre("a", "", "b"));
  EXPECT_THAT(texts("a,"), ElementsAre("a", ""));
  EXPECT_THAT(texts("a;b,c", ';'), ElementsAre("a", "b,c"));
  EXPECT_EQ(csv_fields("a,bc").back().column, 3);
}

TEST(Csv, QuotesHoldSeparatorsAndQuotes) {
  EXPECT_THAT(texts(R"("a,b", "c""d" ,"")"), ElementsAre("a,b", "c\"d", ""));
  EXPECT_THAT(texts(R"("12,3)"), ElementsAre("\"12,3")) << "not closed";
  EXPECT_THAT(texts(R"("1"2,3)"), ElementsAre("\"1\"2", "3"));
}

TEST(Csv, LinesEndInEitherWay) {
  std::string_view rest = without_byte_order_mark("\xef\xbb\xbfone\r\n\ntwo");
  EXPECT_EQ(take_line(rest), "one");
  EXPECT_EQ(take_line(rest), "");
  EXPECT_EQ(take_line(rest), "two");
  EXPECT_TRUE(rest.empty());
}

}  // namespace
}  // namespace assay
