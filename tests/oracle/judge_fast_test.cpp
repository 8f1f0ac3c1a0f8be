#include <gtest/gtest.h>

#include "oracle/judge.h"
#include "tests/core/sanitized.h"
#include "tests/oracle/cases.h"

namespace assay::oracle {
namespace {

const Arithmetic kJudged[] = {
    {},
    kFp32Fma,
    kHopperWgmma,
    kAmpereMma,
    {.kind = Arithmetic::Kind::kFp32, .splits = 4, .partials = Format::kBf16},
    {.kind = Arithmetic::Kind::kStep, .products_per_step = 32, .fraction_bits = 13, .out_bits = 13},
    {.kind = Arithmetic::Kind::kFp32, .subnormals = kFtz, .saturates = true},
    {.kind = Arithmetic::Kind::kFp32, .subnormals = {.inputs = 0xFF, .outputs = 0xFF}},
    {.kind = Arithmetic::Kind::kFp32, .conversion = Conversion::kTf32Rz},
    {.kind = Arithmetic::Kind::kStep,
     .products_per_step = 8,
     .fraction_bits = 25,
     .conversion = Conversion::kTf32Rna},
    {.kind = Arithmetic::Kind::kFp32, .conversion = Conversion::kBf16},
};

struct Drawn {
  std::vector<TestProduct> products;
  Arithmetic arithmetic;
  JudgeOptions options;
};

Drawn draw_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  Drawn drawn;
  drawn.arithmetic = kJudged[below(std::size(kJudged))];
  drawn.options.exact_input = below(3) == 0;
  drawn.options.skip_zeros_and_scaled = below(4) == 0;
  drawn.options.skip_trivial = below(8) == 0;
  drawn.options.threads = 1 + below(2);
  TestShape test;
  test.in = kAllFormats[below(std::size(kAllFormats))];
  test.out = kAllFormats[below(5)];
  test.fill = static_cast<TestFill>(below(kTestFillCount));
  test.output = static_cast<TestOutput>(below(kTestOutputCount));
  test.initial = below(3) == 0;
  test.times = below(4) == 0 ? 1 + below(3) : 1;
  test.previous = below(2) == 0;
  test.out_scaled = below(3) == 0;
  test.a_by_columns = below(2) == 0;
  test.b_by_columns = below(2) == 0;
  const int products = 1 + below(3);
  for (int i = 0; i < products; ++i) {
    test.m = below(9);
    test.n = below(12);
    test.k = below(8) == 0 ? 0 : below(60);
    drawn.products.emplace_back(test, random);
  }
  return drawn;
}

TEST(JudgeFast, AgreesWithTheExactOracleOnEveryElement) {
  Index wrong = 0, right = 0, escalated = 0, accepted = 0, overflowing = 0;
  for (std::uint64_t seed = 0; seed < testing::sanitized_share(4000); ++seed) {
    Drawn drawn = draw_case(seed);
    std::vector<Product> products;
    for (const TestProduct& test : drawn.products) { products.push_back(test.product()); }
    std::vector<std::uint8_t> exact_map, fast_map;
    JudgeOptions exact_options = drawn.options, fast_options = drawn.options;
    exact_options.wrong_map = &exact_map;
    fast_options.wrong_map = &fast_map;
    const Judgement exact = judge_exact(products, drawn.arithmetic, exact_options);
    const Judgement fast = judge_fast(products, drawn.arithmetic, fast_options);
    ASSERT_EQ(exact_map, fast_map) << "seed " << seed;
    ASSERT_EQ(exact.wrong, fast.wrong) << "seed " << seed;
    ASSERT_EQ(exact.elements, fast.elements) << "seed " << seed;
    ASSERT_EQ(exact.overflowing, fast.overflowing) << "seed " << seed;
    ASSERT_EQ(exact.trivial_differs, fast.trivial_differs) << "seed " << seed;
    ASSERT_EQ(exact.trivial_accepted, fast.trivial_accepted) << "seed " << seed;
    ASSERT_EQ(exact.inconclusive(), fast.inconclusive()) << "seed " << seed;
    ASSERT_EQ(exact.worst_ratio > 1, fast.worst_ratio > 1) << "seed " << seed;
    ASSERT_EQ(exact.wrong > 0, exact.worst_ratio > 1) << "seed " << seed;
    wrong += exact.wrong;
    right += exact.elements - exact.wrong;
    escalated += fast.escalated;
    overflowing += exact.overflowing ? 1 : 0;
    for (const bool yes : exact.trivial_accepted) { accepted += yes ? 1 : 0; }
  }
  // The cases reach every kind of decision.
  EXPECT_GT(wrong, testing::sanitized_share(10000));
  EXPECT_GT(right, testing::sanitized_share(10000));
  EXPECT_GT(escalated, testing::sanitized_share(1000));
  EXPECT_GT(accepted, testing::sanitized_share(100));
  EXPECT_GT(overflowing, testing::sanitized_share(100));
}

// Larger than one block in every direction, which the small cases never are.
void expect_agreement(const TestShape& test, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TestProduct drawn(test, random);
  const Product& product = drawn.product();
  std::vector<std::uint8_t> exact_map, fast_map;
  const Judgement exact =
      judge_exact({&product, 1}, kHopperWgmma, {.threads = 2, .wrong_map = &exact_map});
  const Judgement fast =
      judge_fast({&product, 1}, kHopperWgmma, {.threads = 2, .wrong_map = &fast_map});
  EXPECT_EQ(exact_map, fast_map);
  EXPECT_EQ(exact.elements, test.m * test.n);
  EXPECT_EQ(exact.elements, fast.elements);
  EXPECT_EQ(exact.trivial_differs, fast.trivial_differs);
  EXPECT_EQ(exact.trivial_accepted, fast.trivial_accepted);
  EXPECT_GT(exact.wrong, 0);
  EXPECT_GT(exact.worst_ratio, 1);
  EXPECT_GT(fast.worst_ratio, 1);
}

TEST(JudgeFast, AgreesAcrossBlocksOfRowsAndColumns) {
  TestShape test{.m = 530, .n = 1100, .k = 3, .output = TestOutput::kRandomBits};
  test.previous = true;
  expect_agreement(test, 1);
  test.fill = TestFill::kSmallIntegers;
  test.out = Format::kFp32;
  expect_agreement(test, 2);
}

TEST(JudgeFast, AgreesAcrossBlocksOfTheReduction) {
  TestShape test{.m = 5, .n = 70, .k = 9001, .output = TestOutput::kRandomBits};
  test.initial = true;
  test.out = Format::kFp32;
  for (const bool by_columns : {false, true}) {
    test.a_by_columns = by_columns;
    test.b_by_columns = !by_columns;
    expect_agreement(test, 3);
  }
}

TEST(JudgeFast, EscalatesLittleOnOrdinaryData) {
  std::mt19937_64 random(5);
  for (const Format out : {Format::kBf16, Format::kFp32}) {
    const TestProduct drawn({.m = 64, .n = 200, .k = 512, .out = out}, random);
    const Judgement judgement = judge_fast({&drawn.product(), 1}, kHopperWgmma, {});
    EXPECT_EQ(judgement.wrong, 0);
    EXPECT_LT(judgement.escalated, judgement.elements / 1000);
  }
}

TEST(JudgeFast, ExactInputsNeverEscalate) {
  std::mt19937_64 random(6);
  TestShape test{.m = 64, .n = 64, .k = 300, .fill = TestFill::kSmallIntegers};
  const TestProduct drawn(test, random);
  const Judgement judgement =
      judge_fast({&drawn.product(), 1}, kHopperWgmma, {.exact_input = true});
  EXPECT_EQ(judgement.wrong, 0);
  EXPECT_EQ(judgement.escalated, 0);
}

TEST(JudgeFast, ReadsOutputsAtAnyAddressAndStride) {
  std::mt19937_64 random(7);
  for (const Format out : kAllFormats) {
    if (!shape(out).has_nan) { continue; }  // no output has it
    const TestProduct drawn({.m = 9, .n = 21, .k = 30, .out = out}, random);
    const Index size_bytes = shape(out).size_bytes;
    for (const Index gap : {1, 3}) {
      std::vector<char> bytes(9 * 21 * gap * size_bytes + 1);
      Product product = drawn.product();
      product.got = {bytes.data() + 1, out, 9, 21, 21 * gap, gap};
      for (Index row = 0; row < 9; ++row) {
        for (Index col = 0; col < 21; ++col) {
          store(out, const_cast<char*>(product.got.address(row, col)),
                drawn.product().got.bits(row, col));
        }
      }
      EXPECT_EQ(judge_fast({&product, 1}, kHopperWgmma, {}).wrong, 0);
      const char* address = product.got.address(4, 20);
      store(out, const_cast<char*>(address), load(out, address) ^ shape(out).sign_bit());
      EXPECT_EQ(judge_fast({&product, 1}, kHopperWgmma, {}).wrong, 1);
    }
  }
}

}  // namespace
}  // namespace assay::oracle
