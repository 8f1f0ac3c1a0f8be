// What a kernel multiplies that rounds scaled operands to 16 bits first.
#include "src/harness/judge/dequantised.h"

#include <cmath>

#include <gtest/gtest.h>

#include "oracle/operand.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

using Scales = DeclaredArithmetic::Scales;

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

// Each element is that of the scaled matrix, as the oracle reads it, in the format.
void expect_rounded(const oracle::Matrix& scaled, const oracle::Matrix& plain, Format format) {
  ASSERT_FALSE(plain.scales.present());
  for (Index row = 0; row < scaled.rows; ++row) {
    for (Index col = 0; col < scaled.cols; ++col) {
      const double exact = oracle::element_value(scaled, row, col, oracle::Conversion::kNone);
      const double value = oracle::element_value(plain, row, col, oracle::Conversion::kNone);
      const double rounded =
          scaled.scales.present()
              ? decode(format, encode(format, static_cast<double>(static_cast<float>(exact))))
              : exact;
      ASSERT_TRUE(same(value, rounded)) << row << " " << col << ": " << value << " " << rounded;
    }
  }
}

TEST(Dequantised, HasCodesTimesScalesRoundedInBothLayouts) {
  for (const char* const text :
       {"pass=fwd in=e4m3/block128 out=bf16 k=150 n=130 rows=3,0,5 fill=normal",
        "pass=fwd in=e4m3/block128 out=bf16 k=150 n=130 rows=3,0,5 weights=ekn fill=special",
        "pass=dgrad in=y:bf16,w:e4m3/128x128 out=bf16 k=150 n=130 rows=3,0,5 fill=normal",
        "pass=wgrad in=int8/block128 out=fp32 k=9 n=7 rows=130,0,5 fill=normal",
        "pass=wgrad in=e4m3/tensor out=fp32 k=9 n=7 rows=13,0,5 fill=normal"}) {
    const auto spec = parse_case(text);
    ASSERT_TRUE(spec) << text;
    const Problem problem = make_problem(*spec);
    for (const auto& [scales, format] : {std::pair{Scales::kOperandsBf16, Format::kBf16},
                                         std::pair{Scales::kOperandsFp16, Format::kFp16}}) {
      const auto plain = dequantised(problem, {.scales = scales});
      ASSERT_TRUE(plain) << text;
      EXPECT_FALSE(plain->spec.in.scaled());
      const auto was = products_of(problem, problem.output().bits.data());
      const auto is = products_of(*plain, problem.output().bits.data());
      for (std::size_t expert = 0; expert < was.size(); ++expert) {
        expect_rounded(was[expert].a, is[expert].a, format);
        expect_rounded(was[expert].b, is[expert].b, format);
        const MultipliedProduct multiplied(was[expert], {.scales = scales});
        expect_rounded(was[expert].a, (*multiplied).a, format);
        expect_rounded(was[expert].b, (*multiplied).b, format);
      }
    }
  }
}

TEST(Dequantised, IsNothingWithoutScalesOrDeclaration) {
  const Problem plain = make_problem(*parse_case("pass=fwd k=8 n=8 rows=3"));
  EXPECT_FALSE(dequantised(plain, {.scales = Scales::kOperandsBf16}));
  const Problem scaled = make_problem(*parse_case("pass=fwd in=e4m3/row out=bf16 k=8 n=8 rows=3"));
  EXPECT_FALSE(dequantised(scaled, {.scales = Scales::kOperands}));
  const MultipliedCase multiplied(scaled, {});
  EXPECT_EQ(&*multiplied, &scaled);
}

}  // namespace
}  // namespace assay
