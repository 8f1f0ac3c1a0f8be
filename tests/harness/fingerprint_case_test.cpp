// Fingerprints of operands that stay on a device: the same sums as those of the dense operands.
#include "src/harness/judge/fingerprint_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/harness/judge/judge_case.h"
#include "tests/harness/fake_device.h"
#include "tests/harness/operand_sums.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using testing::fake_session;
using ::testing::HasSubstr;

constexpr RunOptions kStay{.placement = Placement::kHigh, .operands_stay = true};
constexpr const char* kFwd = "pass=fwd k=24 n=40 rows=3,0,17,5 fill=sparse seed=4";

constexpr const char* kLines[] = {
    kFwd,
    "pass=fwd out=fp32 k=24 n=40 rows=3,0,17,5 weights=ekn tail=2 offsets=problems seed=5",
    "pass=dgrad out=fp32 k=24 n=40 rows=3,0,17,5 weights=ekn ld=x:3,w:5,y:2 base=y:8 seed=6",
    "pass=dgrad k=24 n=40 rows=3,0,17,5 wpitch=7 fill=sparse seed=7",
    "pass=wgrad out=fp32 k=24 n=40 rows=3,0,17,5 acc=2 ld=4 wpitch=24 fill=anchored seed=8",
    "pass=wgrad out=fp32 k=24 n=40 rows=3,0,17,5 weights=ekn seed=9",
    "pass=dgrad k=24 n=40 rows=3,0,17,5 offsets=problems pointers=shared fill=sparse seed=11",
    "pass=wgrad out=fp32 k=24 n=40 rows=3,0,17,5 offsets=problems pointers=scattered seed=12",
    "pass=fwd in=fp32 k=8 n=16 rows=3,4 offsets=starts seed=10",
    "pass=fwd k=8 n=8 rows=1,1 ld=x:0,w:0,y:67108864 fill=sparse seed=3"};

TEST(CaseFingerprint, DeviceOperandsGiveTheSumsOfTheDenseOnes) {
  const auto session = fake_session(testing::fake_run);
  for (const char* const line : kLines) {
    SCOPED_TRACE(line);
    const Problem problem = problem_of(line);
    RunOptions options = kStay;
    for (const Placement placement : {Placement::kLow, Placement::kHigh}) {
      options.placement = placement;
      const Outcome outcome = session->run(problem, options);
      ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
      expect_sums_of_dense_operands(*session, problem, outcome);
      const auto result = check_fingerprint(*session, problem, outcome, {.seed = 1});
      EXPECT_TRUE(result.held) << result.reason << ' ' << result.wrong_rows;
    }
  }
}

// Of exact fills codes times scales are the integers.
TEST(CaseFingerprint, ReadsScaledOperands) {
  for (const char* const line :
       {"pass=fwd in=e4m3/block128 out=bf16 k=300 n=40 rows=3,0,130 fill=sparse",
        "pass=dgrad in=e4m3/mx out=fp32 k=70 n=40 rows=3,0,17 weights=ekn",
        "pass=wgrad in=e4m3/block128 out=fp32 k=24 n=40 rows=3,0,170 acc=2",
        "pass=fwd in=x:bf16,w:e2m1/nv out=fp32 k=48 n=40 rows=3,0,17 fill=anchored"}) {
    SCOPED_TRACE(line);
    const Problem problem = problem_of(line);
    std::vector<std::byte> output = exact_output(problem);
    const auto result = oracle::check_fingerprint(products_of(problem, output.data()), {.seed = 1});
    EXPECT_TRUE(result.held) << result.reason << ' ' << result.wrong_rows;

    Problem other = problem;
    const Role scaled = operation(problem.spec.pass).b.role;
    DenseScales& scales = other.scales[scaled];
    const double scale = decode(scales.format, scales.load(0, 0));
    scales.store(0, 0, encode(scales.format, 2 * scale));
    EXPECT_FALSE(oracle::check_fingerprint(products_of(other, output.data()), {.seed = 1}).held);

    output[1] ^= std::byte{0x40};
    const auto wrong = oracle::check_fingerprint(products_of(problem, output.data()), {.seed = 1});
    EXPECT_FALSE(wrong.held);
    EXPECT_TRUE(wrong.named && wrong.row == 0 && wrong.col == 0) << wrong.reason;
  }
}

// A fingerprint is of integers.
TEST(CaseFingerprint, DoesNotJudgeRealScales) {
  const Problem problem = problem_of("pass=fwd in=e4m3/row out=bf16 k=300 n=40 rows=3 fill=normal");
  const std::vector<std::byte> output = exact_output(problem);
  const auto result = oracle::check_fingerprint(products_of(problem, output.data()), {.seed = 1});
  EXPECT_FALSE(result.held);
  EXPECT_EQ(result.wrong_rows, 0);
  EXPECT_NE(result.reason, "");
}

TEST(CaseFingerprint, FindsAWrongElementOnTheDevice) {
  // The second byte of bf16: sign and exponent of element 5 of expert 0's row 1.
  const auto session = fake_session(testing::fake_writes_at<(40 + 5) * 2 + 1>);
  const Problem problem = problem_of(kFwd);
  const Outcome outcome = session->run(problem, kStay);
  const auto result = check_fingerprint(*session, problem, outcome, {.seed = 2});
  EXPECT_FALSE(result.held);
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.wrong_rows, 1);
  EXPECT_TRUE(result.named);
  EXPECT_EQ(result.product, 0);
  EXPECT_EQ(result.row, 1);
  EXPECT_EQ(result.col, 5);
}

TEST(CaseFingerprint, OperandsStayUntilTheyAreReleased) {
  const auto session = fake_session(testing::fake_run);
  const Problem problem = problem_of(kFwd);
  const OperandMatrix matrix = operand_matrix(problem, 0, oracle::Factor::kA);
  const std::vector<oracle::Residue> vector(static_cast<std::size_t>(matrix.cols));
  const auto lie_there = [&] { return session->multiply(matrix, {0, 1}, vector).has_value(); };
  EXPECT_FALSE(lie_there());
  session->run(problem, kStay);
  EXPECT_TRUE(lie_there());
  session->release_operands();
  EXPECT_FALSE(lie_there());
  session->run(problem, kStay);
  session->run(problem, {});
  EXPECT_FALSE(lie_there());
}

TEST(CaseFingerprint, MatricesMustLieWithinTheirOperand) {
  const auto session = fake_session(testing::fake_run);
  const Problem problem = problem_of(kFwd);
  session->run(problem, kStay);
  const auto refusal = [&](const OperandMatrix& matrix) {
    const std::vector<oracle::Residue> vector(static_cast<std::size_t>(matrix.cols));
    const auto product = session->multiply(matrix, {0, 1}, vector);
    return product ? std::string() : product.error().message;
  };
  const OperandMatrix good = operand_matrix(problem, 3, oracle::Factor::kA);
  EXPECT_EQ(refusal(good), "");
  OperandMatrix bad = good;
  bad.rows += 1;
  EXPECT_THAT(refusal(bad), HasSubstr("leaves its operand"));
  bad = good;
  bad.first = -1;
  EXPECT_THAT(refusal(bad), HasSubstr("leaves its operand"));
  bad = good;
  bad.initial = 1;  // nothing was accumulated
  EXPECT_THAT(refusal(bad), HasSubstr("no such operand"));
}

TEST(CaseFingerprint, AWorkerOfACpuKernelHasNoOperandsOnADevice) {
  const auto session = worker_of("naive");
  const Problem problem = problem_of(kFwd);
  const Outcome outcome = session->run(problem, kStay);
  ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
  const OperandMatrix matrix = operand_matrix(problem, 0, oracle::Factor::kA);
  const std::vector<oracle::Residue> vector(static_cast<std::size_t>(matrix.cols));
  const auto product = session->multiply(matrix, {0, 1}, vector);
  ASSERT_FALSE(product.has_value());
  EXPECT_THAT(product.error().message, HasSubstr("no operands lie on a device"));
  EXPECT_TRUE(check_fingerprint(*session, problem, outcome, {.seed = 3}).held);
  EXPECT_EQ(session->run(problem, kStay).status, RunStatus::kOk);
}

}  // namespace
}  // namespace assay
