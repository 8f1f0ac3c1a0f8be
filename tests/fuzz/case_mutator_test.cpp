#include "fuzz/case_mutator.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/case_file.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

std::string mutated(std::string text, std::size_t max_size, std::uint64_t seed) {
  const MutationSpace space = whole_space();
  std::vector<std::uint8_t> buffer(std::max(max_size, text.size()));
  std::copy(text.begin(), text.end(), buffer.begin());
  const std::size_t size = mutate_case_text(buffer.data(), text.size(), max_size, seed, space);
  EXPECT_LE(size, max_size);
  EXPECT_GE(size, 1u);
  return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(CaseMutator, PrintsCasesThatParse) {
  std::string text = "pass=fwd k=8 n=8 rows=3,4";
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    text = mutated(text, 512, seed);
    ASSERT_TRUE(parse_case(text).has_value()) << text;
    seen.insert(text);
  }
  EXPECT_GE(seen.size(), 400u);
}

TEST(CaseMutator, GarbageBecomesTheSimplestCase) {
  for (const char* garbage : {"", "\n", "pass=fwd k=8", "# a comment alone"}) {
    const std::string text = mutated(garbage, 256, 1);
    EXPECT_TRUE(parse_case(text).has_value()) << text;
  }
}

TEST(CaseMutator, NeverWritesPastItsRoom) {
  for (std::size_t room = 1; room < 40; ++room) { mutated("pass=fwd k=8 n=8 rows=3", room, room); }
}

TEST(CaseMutator, CrossesTwoTexts) {
  std::vector<std::uint8_t> out(256);
  const std::size_t size =
      cross_case_texts("pass=fwd k=8 n=8 rows=3", "pass=dgrad k=5 n=7 rows=1,2", out.data(),
                       out.size(), 9, whole_space());
  const std::string text(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
  EXPECT_TRUE(parse_case(text).has_value()) << text;
}

TEST(CaseFile, SkipsCommentsAndBlankLines) {
  const auto spec = parse_case_file("# why it is here\n\n  pass=fwd k=8 n=8 rows=3\n# the end");
  ASSERT_TRUE(spec.has_value()) << spec.error().message;
  EXPECT_EQ(spec->rows, (std::vector<Index>{3}));
}

TEST(CaseFile, RefusesNoneAndTwo) {
  EXPECT_NE(parse_case_file("# only words").error().message.find("one case"), std::string::npos);
  const auto two = parse_case_file("pass=fwd k=8 n=8 rows=3\npass=fwd k=9 n=9 rows=3");
  ASSERT_FALSE(two.has_value());
  EXPECT_NE(two.error().message.find("'pass=fwd k=9 n=9 rows=3'"), std::string::npos)
      << two.error().message;
}

TEST(CaseFile, PrintedFilesParseBack) {
  const auto spec = parse_case("pass=dgrad k=8 n=9 rows=0*5,3");
  const auto again = parse_case_file(case_file_text(*spec, "kernel: x.so\ncheck: one_expert"));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, *spec);
}

}  // namespace
}  // namespace assay
