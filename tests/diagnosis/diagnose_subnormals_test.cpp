// Diagnoses of kernels that take subnormal numbers for zero, and of the mistakes that look alike.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/format.h"
#include "properties/support/case_run.h"
#include "src/harness/judge/judge_case.h"
#include "tests/diagnosis/mistakes.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

bool is_subnormal(Format format, std::uint32_t bits) {
  const double value = decode(format, bits);
  return value != 0 &&
         std::fabs(value) < std::ldexp(1.0, oracle::shape(to_oracle(format)).min_exponent);
}

Index flush(DenseOperand& operand) {
  Index flushed = 0;
  for (Index row = 0; row < operand.rows; ++row) {
    for (Index col = 0; col < operand.cols; ++col) {
      std::byte* element = operand.element(row, col);
      if (!is_subnormal(operand.format, load_bits(operand.format, element))) { continue; }
      store_bits(operand.format, element, 0);
      ++flushed;
    }
  }
  return flushed;
}

const FakeSession::Mistake kFlushesOperands = answers([](Problem& problem) {
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    if (role != output_role(problem.spec.pass)) { flush(problem.operands[role]); }
  }
});
const FakeSession::Mistake kFlushesRows =
    answers([](Problem& problem) { flush(problem.operands.x); });

void flush_output(const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
  const Format out = problem.output().format;
  for (std::size_t at = 0; at < outcome.output.size(); at += size_bytes(out)) {
    std::byte* element = outcome.output.data() + at;
    if (is_subnormal(out, load_bits(out, element))) { store_bits(out, element, 0); }
  }
}

double first_of(const DenseOperand& operand) {
  return decode(operand.format, load_bits(operand.format, operand.bits.data()));
}

// A case of one product, of a subnormal number and one near 1; as shrinking leaves it.
std::string one_subnormal_product(const std::string& formats) {
  for (int seed = 0; seed < 2000; ++seed) {
    std::string text =
        "pass=fwd " + formats + " k=1 n=1 rows=1 fill=special seed=" + std::to_string(seed);
    Problem problem = problem_for(parsed(text), testing::every_manifest());
    const double x = std::fabs(first_of(problem.operands.x));
    const double w = std::fabs(first_of(problem.operands.w));
    const bool one_flushed = flush(problem.operands.x) + flush(problem.operands.w) == 1;
    const double other = std::max(x, w);
    if (one_flushed && other > 0x1p-4 && other < 16) { return text; }
  }
  ADD_FAILURE() << "special values hold no subnormal operand";
  return "pass=fwd k=1 n=1 rows=1";
}

TEST(DiagnoseSubnormals, OperandsOfManyProducts) {
  for (const char* const text : {"pass=fwd in=fp16 out=fp32 k=20 n=12 rows=5,3,7 fill=special",
                                 "pass=dgrad in=fp16 out=fp32 k=20 n=12 rows=5,3,7 fill=special",
                                 "pass=wgrad in=fp16 out=fp32 k=9 n=12 rows=5,20,7 fill=special",
                                 "pass=fwd in=bf16 out=fp32 k=1 n=24 rows=5,3,7 fill=special"}) {
    const Diagnosis diagnosis = diagnosis_anywhere(text, kFlushesOperands);
    EXPECT_EQ(diagnosis.hypothesis, "subnormal_operands_read_as_zero") << text;
    EXPECT_THAT(diagnosis.sentence, HasSubstr("operands"));
    EXPECT_GT(diagnosis.share, 0.99) << text;
  }
}

TEST(DiagnoseSubnormals, OperandsOfOneProduct) {
  for (const char* const formats : {"in=fp16 out=fp16", "in=fp16 out=fp32", "in=bf16 out=bf16",
                                    "in=bf16 out=fp32", "in=e4m3 out=fp16"}) {
    EXPECT_EQ(diagnosis_anywhere(one_subnormal_product(formats), kFlushesOperands).hypothesis,
              "subnormal_operands_read_as_zero")
        << formats;
  }
}

TEST(DiagnoseSubnormals, OneOperandAlone) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=fwd in=fp16 out=fp32 k=20 n=12 rows=5,3,7 fill=special", kFlushesRows);
  EXPECT_EQ(diagnosis.hypothesis, "subnormal_operands_read_as_zero");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("elements of x"));
}

TEST(DiagnoseSubnormals, Outputs) {
  for (const char* const text : {"pass=fwd in=fp16 out=fp16 k=1 n=12 rows=50,30,7 fill=special",
                                 "pass=fwd in=bf16 out=bf16 k=1 n=12 rows=50,30,7 fill=special"}) {
    EXPECT_EQ(diagnosis_anywhere(text, flush_output).hypothesis,
              "subnormal_outputs_written_as_zero")
        << text;
  }
}

TEST(DiagnoseSubnormals, AnotherFormatIsStillOne) {
  const auto mistake = answers([](Problem& problem) {
    for (DenseOperand* operand : {&problem.operands.x, &problem.operands.w}) {
      operand->format = operand->format == Format::kFp16 ? Format::kBf16 : Format::kFp16;
    }
  });
  for (const char* const text : {"pass=fwd in=fp16 out=fp32 k=20 n=12 rows=5,3,7 fill=special",
                                 "pass=fwd in=bf16 out=fp32 k=20 n=12 rows=5,3,7 fill=special"}) {
    EXPECT_EQ(diagnosis_anywhere(text, mistake).hypothesis, "format_misread") << text;
  }
}

TEST(DiagnoseSubnormals, ADroppedTailIsStillOne) {
  const auto mistake = drops_tail_of_k(32);
  EXPECT_EQ(diagnosis_anywhere(one_subnormal_product("in=fp16 out=fp16"), mistake).hypothesis,
            "reduction_tail_dropped");
}

}  // namespace
}  // namespace assay
