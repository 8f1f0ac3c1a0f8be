// Inputs of their own formats and scales, as a case says them.
#include "src/problem/inputs.h"

#include <gmock/gmock.h>

#include "src/problem/case_text.h"
#include "src/problem/problem.h"
#include "tests/problem/random_case.h"

namespace assay {
namespace {

using testing::HasSubstr;

CaseSpec case_with(const std::string& words) {
  const auto spec = parse_case("k=8 n=8 rows=4 " + words);
  EXPECT_TRUE(spec.has_value()) << words << ": " << spec.error().message;
  return spec.value_or(CaseSpec{});
}

TEST(Inputs, NameTheOperandsOfTheirPass) {
  struct Said {
    const char* words;
    Format x, w, y;
  };
  using enum Format;
  const Said all[] = {{"pass=fwd in=x:bf16,w:e4m3", kBf16, kE4m3, kBf16},
                      {"pass=fwd in=w:e4m3,x:fp16 out=fp32", kFp16, kE4m3, kFp32},
                      {"pass=dgrad in=y:e5m2,w:e4m3 out=bf16", kBf16, kE4m3, kE5m2},
                      {"pass=wgrad in=y:e5m2,x:e4m3 out=fp32", kE4m3, kFp32, kE5m2}};
  for (const Said& said : all) {
    const CaseSpec spec = case_with(said.words);
    EXPECT_EQ(format_of(spec, Role::kX), said.x) << said.words;
    EXPECT_EQ(format_of(spec, Role::kW), said.w) << said.words;
    EXPECT_EQ(format_of(spec, Role::kY), said.y) << said.words;
    const Problem problem = make_problem(spec);
    EXPECT_EQ(problem.operands.w.format, said.w) << said.words;
    EXPECT_EQ(problem.operands.y.format, said.y) << said.words;
  }
}

TEST(Inputs, AreSaidJointlyWhereOneWordCanSayBoth) {
  const std::pair<const char*, const char*> all[] = {
      {"x:bf16,w:bf16", "bf16"},
      {"x:e4m3/row,w:e4m3/row", "e4m3/row"},
      {"x:e4m3/1x64,w:e4m3/64x64", "e4m3/1x64,64x64:fp32"},
      {"w:e4m3/row,x:bf16", "x:bf16,w:e4m3/row"},
      {"x:e4m3,w:e4m3/row", "x:e4m3,w:e4m3/row"},
      {"x:e4m3/1x64:e8m0,w:e4m3/64x64", "x:e4m3/1x64:e8m0,w:e4m3/64x64:fp32"},
      {"x:e4m3/mx,w:e5m2/mx", "x:e4m3/mx,w:e5m2/mx"}};
  for (const auto& [said, printed] : all) {
    const auto inputs = parse_inputs(said);
    ASSERT_TRUE(inputs.has_value()) << said;
    EXPECT_EQ(inputs_text(inputs->inputs, Pass::kFwd), printed);
    const auto again = parse_inputs(printed);
    ASSERT_TRUE(again.has_value()) << printed;
    EXPECT_EQ(again->inputs, inputs->inputs);
  }
}

RC_GTEST_PROP(Inputs, ReadBackAsTheyArePrinted, ()) {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  const Inputs inputs = draw_any_inputs(rng);
  const Pass pass = kAllPasses[rng.below(3)];
  for (const std::string& text : {inputs_text(inputs, pass), inputs_by_operand(inputs, pass)}) {
    const auto read = parse_inputs(text);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->inputs == inputs);
    RC_ASSERT(read->pass.value_or(pass) == pass);
  }
}

TEST(Inputs, WhatMakesNoSenseIsRefusedInOneLine) {
  const std::pair<const char*, const char*> refused[] = {
      {"pass=fwd in=x:bf16", "does not name two operands"},
      {"pass=fwd in=x:bf16,w:e4m3,y:e4m3", "does not name two operands"},
      {"pass=fwd in=x:bf16,x:e4m3", "names one operand twice"},
      {"pass=dgrad in=x:bf16,w:e4m3", "dgrad reads y and w"},
      {"pass=wgrad in=x:bf16,w:e4m3", "wgrad reads x and y"},
      {"pass=fwd in=x:,w:e4m3", "unknown format"},
      {"pass=fwd in=x:bf16/row,w:e4m3/row", "scales belong to codes of 8 bits and fewer"},
      {"pass=fwd in=x:bf16,w:e4m3/row out=fp16", "the output is bf16, fp32, e4m3 or e5m2"},
      {"pass=fwd in=x:bf16,w:e4m3/0x2", "is no recipe of scales"}};
  for (const auto& [words, why] : refused) {
    const auto spec = parse_case(std::string("k=8 n=8 rows=4 ") + words);
    ASSERT_FALSE(spec.has_value()) << words;
    EXPECT_THAT(spec.error().message, HasSubstr(why));
    EXPECT_EQ(spec.error().message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace assay
