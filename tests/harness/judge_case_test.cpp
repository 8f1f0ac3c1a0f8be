#include "src/harness/judge/judge_case.h"

#include <gtest/gtest.h>

#include "src/core/require.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

// The plain sums of a case of small integers, by the definition of its pass.
double sum_of(const Problem& problem, Index expert, Index row, Index col) {
  const CaseSpec& spec = problem.spec;
  const auto value = [&](Role role, Index r, Index c) {
    const DenseOperand& operand = problem.operands[role];
    const Index first = role == Role::kW ? 0 : problem.dense_starts[expert];
    return decode(operand.format, load_bits(operand.format, operand.element(first + r, c)));
  };
  const auto w = [&](Index k, Index n) {
    return spec.weights == WeightsLayout::kEnk ? value(Role::kW, expert * spec.n + n, k)
                                               : value(Role::kW, expert * spec.k + k, n);
  };
  double sum = 0;
  switch (spec.pass) {
    case Pass::kFwd:
      for (Index k = 0; k < spec.k; ++k) { sum += value(Role::kX, row, k) * w(k, col); }
      if (!spec.bias) { return sum; }
      return sum + decode(*spec.bias, load_bits(*spec.bias, problem.bias.element(expert, col)));
    case Pass::kDgrad:
      for (Index n = 0; n < spec.n; ++n) { sum += value(Role::kY, row, n) * w(col, n); }
      return sum;
    case Pass::kWgrad:
      for (Index m = 0; m < spec.rows[expert]; ++m) {
        sum += value(Role::kX, m, row) * value(Role::kY, m, col);
      }
      return spec.acc > 0 ? spec.acc * sum + w(row, col) : sum;
  }
  return sum;
}

// The element of the dense output that (row, col) of an expert's product is.
Index element_of(const Problem& problem, Index expert, Index row, Index col) {
  const CaseSpec& spec = problem.spec;
  if (spec.pass != Pass::kWgrad) {
    return (problem.dense_starts[expert] + row) * problem.output().cols + col;
  }
  return spec.weights == WeightsLayout::kEnk ? (expert * spec.n + col) * spec.k + row
                                             : (expert * spec.k + row) * spec.n + col;
}

Index rows_of(const Problem& problem, Index expert) {
  return problem.spec.pass == Pass::kWgrad ? problem.spec.k : problem.spec.rows[expert];
}
Index cols_of(const Problem& problem) {
  return problem.spec.pass == Pass::kDgrad ? problem.spec.k : problem.spec.n;
}

const char* const kLines[] = {
    "pass=fwd in=fp32 k=7 n=5 rows=2,0,3 seed=1",
    "pass=fwd in=fp32 k=7 n=5 rows=2,0,3 weights=ekn seed=2",
    "pass=fwd in=fp32 bias=fp32 k=7 n=5 rows=2,0,3 seed=9",
    "pass=fwd in=bf16 out=fp32 bias=fp16 k=7 n=5 rows=2,0,3 weights=ekn seed=10",
    "pass=dgrad in=fp32 k=7 n=5 rows=2,0,3 seed=3",
    "pass=dgrad in=fp32 k=7 n=5 rows=2,0,3 weights=ekn seed=4",
    "pass=wgrad in=fp32 k=7 n=5 rows=2,0,3 seed=5",
    "pass=wgrad in=fp32 k=7 n=5 rows=2,0,3 weights=ekn seed=6",
    "pass=wgrad in=bf16 out=fp32 acc=2 k=7 n=5 rows=2,0,3 seed=7",
    "pass=wgrad in=bf16 out=fp32 acc=1 k=7 n=5 rows=2,0,3 weights=ekn seed=8"};

TEST(ExactOutput, IsThePlainSumOfSmallIntegers) {
  for (const char* const line : kLines) {
    SCOPED_TRACE(line);
    const Problem problem = problem_of(line);
    const std::vector<std::byte> exact = exact_output(problem);
    bool any = false;
    for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
      for (Index row = 0; row < rows_of(problem, expert); ++row) {
        for (Index col = 0; col < cols_of(problem); ++col) {
          const Index at = element_of(problem, expert, row, col) * 4;
          const double value = decode(Format::kFp32, load_bits(Format::kFp32, exact.data() + at));
          ASSERT_EQ(value, sum_of(problem, expert, row, col)) << expert << ' ' << row << ' ' << col;
          any = any || value != 0;
        }
      }
    }
    EXPECT_TRUE(any);
  }
}

TEST(JudgeOutput, NamesTheOneWrongElement) {
  for (const char* const line : kLines) {
    for (const bool exact_oracle : {false, true}) {
      SCOPED_TRACE(line);
      const Problem problem = problem_of(line);
      std::vector<std::byte> output = exact_output(problem);
      const CaseJudgeOptions options{.exact_oracle = exact_oracle};
      EXPECT_EQ(judge_output(problem, output, {}, options).wrong, 0);
      const Index row = rows_of(problem, 2) - 1, col = cols_of(problem) - 2;
      output[element_of(problem, 2, row, col) * 4] ^= std::byte{1};
      std::vector<std::uint8_t> wrong;
      const oracle::Judgement judgement =
          judge_output(problem, output, {}, {.exact_oracle = exact_oracle, .wrong_map = &wrong});
      EXPECT_EQ(judgement.wrong, 1);
      EXPECT_EQ(judgement.worst.product, 2);
      EXPECT_EQ(judgement.worst.row, row);
      EXPECT_EQ(judgement.worst.col, col);
      EXPECT_EQ(std::count(wrong.begin(), wrong.end(), 1), 1);
    }
  }
}

TEST(EmptyGradients, MustBePlusZero) {
  const Problem problem = problem_of("pass=wgrad k=3 n=2 rows=2,0,1 weights=ekn seed=1");
  std::vector<std::byte> output = exact_output(problem);
  EXPECT_FALSE(first_wrong_empty_gradient(problem, output));
  output[element_of(problem, 1, 2, 1) * 2 + 1] = std::byte{0x80};  // -0
  const auto wrong = first_wrong_empty_gradient(problem, output);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->expert, 1);
  EXPECT_EQ(wrong->row, 2);
  EXPECT_EQ(wrong->col, 1);
  EXPECT_EQ(wrong->got_bits, 0x8000U);
}

TEST(EmptyGradients, KeepCBitForBit) {
  Problem problem = problem_of("pass=wgrad out=fp32 acc=1 k=2 n=2 rows=0,1 seed=1");
  const auto store = [](std::vector<std::byte>& bits, Index element, std::uint32_t value) {
    store_bits(Format::kFp32, bits.data() + element * 4, value);
  };
  const std::uint32_t c[] = {0x3f800000, 0x80000000, 0x7fc00001, 0x00000000};
  for (Index i = 0; i < 4; ++i) { store(problem.output().bits, i, c[i]); }
  std::vector<std::byte> output = problem.output().bits;
  EXPECT_FALSE(first_wrong_empty_gradient(problem, output));
  // C + 0: -0 becomes +0, a NaN another NaN.
  store(output, 1, 0);
  store(output, 2, 0x7fffffff);
  EXPECT_FALSE(first_wrong_empty_gradient(problem, output));
  store(output, 2, 0x3f800000);
  EXPECT_TRUE(first_wrong_empty_gradient(problem, output));
  store(output, 2, c[2]);
  store(output, 0, 0x3f800001);
  EXPECT_TRUE(first_wrong_empty_gradient(problem, output));
  store(output, 0, c[0]);
  store(output, 3, 0x80000000);
  EXPECT_TRUE(first_wrong_empty_gradient(problem, output));
}

CaseSpec case_of(Format both) {
  CaseSpec spec;
  spec.in = both;
  spec.out = both;
  return spec;
}

TEST(ToOracle, TakesOverWhatTheManifestDeclares) {
  Manifest manifest;
  manifest.arithmetic = {.kind = DeclaredArithmetic::Kind::kTensorCore,
                         .products_per_step = 16,
                         .fraction_bits = 25,
                         .out_bits = 23,
                         .fused = false,
                         .ascending = true,
                         .splits = 4,
                         .partials = "bf16",
                         .promotion_interval = 0};
  manifest.overflow = Overflow::kSaturated;
  manifest.conversion = "tf32_rna";
  const oracle::Arithmetic arithmetic = to_oracle(manifest, case_of(Format::kFp32));
  EXPECT_EQ(arithmetic.kind, oracle::Arithmetic::Kind::kStep);
  EXPECT_EQ(arithmetic.products_per_step, 16);
  EXPECT_EQ(arithmetic.fraction_bits, 25);
  EXPECT_EQ(arithmetic.splits, 4);
  EXPECT_EQ(arithmetic.partials, oracle::Format::kBf16);
  EXPECT_TRUE(arithmetic.saturates);
  EXPECT_EQ(arithmetic.conversion, oracle::Conversion::kTf32Rna);
  EXPECT_EQ(to_oracle(manifest, case_of(Format::kBf16)).conversion, oracle::Conversion::kNone);
  manifest.overflow = Overflow::kCodesSaturated;
  EXPECT_TRUE(to_oracle(manifest, case_of(Format::kE4m3)).saturates);
  EXPECT_FALSE(to_oracle(manifest, case_of(Format::kFp32)).saturates);
}

}  // namespace
}  // namespace assay
