#include "src/problem/case_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(CaseList, HoldsOneCaseALineAndWordsForPeople) {
  const auto cases = parse_case_list(
      "\xef\xbb\xbf# two cases\r\n\r\n  pass=fwd k=8 n=8 rows=3  # the first\r\n"
      "\tpass=wgrad k=8 n=8 rows=0*2,1",
      "f");
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_EQ(cases->size(), 2U);
  EXPECT_EQ((*cases)[0].rows, std::vector<Index>{3});
  EXPECT_EQ((*cases)[1].pass, Pass::kWgrad);
}

TEST(CaseList, ACommentBeginsALineOrFollowsABlank) {
  EXPECT_EQ(without_comment("tactic=a#b # c"), "tactic=a#b ");
  EXPECT_EQ(without_comment("# c"), "");
  EXPECT_EQ(without_comment("k=8"), "k=8");
}

TEST(CaseList, RefusalsNameTheLineOfTheFile) {
  const auto refusal = [](std::string_view text) {
    return parse_case_list(text, "f.cases").error().message;
  };
  EXPECT_THAT(refusal("# one\n\npass=fwd k=8 n=8\n"), HasSubstr("f.cases:3: "));
  EXPECT_THAT(refusal("pass=fwd k=y n=8 rows=1"),
              AllOf(HasSubstr("f.cases:1: "), HasSubstr("'k=y'")));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("'f.cases' holds no case; expected one a line"));
  EXPECT_THAT(refusal(""), HasSubstr("holds no case"));
}

}  // namespace
}  // namespace assay
