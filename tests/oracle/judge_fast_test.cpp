#include <gtest/gtest.h>

#include "oracle/judge.h"
#include "tests/oracle/cases.h"

namespace assay::oracle {
namespace {

const Arithmetic kArithmetics[] = {
    {},
    kFp32Fma,
    kHopperWgmma,
    kAmpereMma,
    {.kind = Arithmetic::Kind::kFp32, .splits = 4, .partials = Format::kBf16},
    {.kind = Arithmetic::Kind::kStep, .products_per_step = 32, .fraction_bits = 13, .out_bits = 13},
    {.kind = Arithmetic::Kind::kFp32, .flushes_subnormals = true, .saturates = true},
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
  drawn.arithmetic = kArithmetics[below(std::size(kArithmetics))];
  drawn.options.exact_input = below(3) == 0;
  drawn.options.skip_zeros_and_scaled = below(4) == 0;
  drawn.options.skip_trivial = below(8) == 0;
  drawn.options.threads = 1 + below(2);
  TestShape test;
  test.in = kAllFormats[below(5)];
  test.out = kAllFormats[below(5)];
  test.fill = static_cast<TestFill>(below(kTestFillCount));
  test.output = static_cast<TestOutput>(below(kTestOutputCount));
  test.initial = below(3) == 0;
  test.times = below(4) == 0 ? 1 + below(3) : 1;
  test.previous = below(2) == 0;
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
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Drawn drawn = draw_case(seed);
    std::vector<Product> products;
    for (const TestProduct& test : drawn.products) products.push_back(test.product());
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
    ASSERT_EQ(exact.mistrusted(), fast.mistrusted()) << "seed " << seed;
    ASSERT_EQ(exact.worst_ratio > 1, fast.worst_ratio > 1) << "seed " << seed;
    ASSERT_EQ(exact.wrong > 0, exact.worst_ratio > 1) << "seed " << seed;
    wrong += exact.wrong;
    right += exact.elements - exact.wrong;
    escalated += fast.escalated;
    overflowing += exact.overflowing ? 1 : 0;
    for (const bool yes : exact.trivial_accepted) accepted += yes ? 1 : 0;
  }
  // The cases reach every kind of decision.
  EXPECT_GT(wrong, 10000);
  EXPECT_GT(right, 10000);
  EXPECT_GT(escalated, 1000);
  EXPECT_GT(accepted, 100);
  EXPECT_GT(overflowing, 100);
  std::printf("wrong %ld right %ld escalated %ld accepted %ld over %ld\n", wrong, right, escalated,
              accepted, overflowing);
}

}  // namespace
}  // namespace assay::oracle
