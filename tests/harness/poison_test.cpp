#include "src/harness/memory/poison.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Poison, HoldsNanInfinityAndMaxFiniteInTurn) {
  for (const Format format : kAllFormats) {
    if (!traits(format).has_nan) { continue; }
    const Index bytes = size_bytes(format);
    for (int variant = 0; variant < 2; ++variant) {
      std::vector<std::byte> memory(static_cast<std::size_t>(6 * bytes));
      PoisonPattern::of(format, variant).fill(memory.data(), 6 * bytes, 0);
      int nan = 0, infinite = 0, largest = 0;
      for (Index i = 0; i < 6; ++i) {
        const double value = decode(format, load_bits(format, memory.data() + i * bytes));
        nan += std::isnan(value);
        infinite += std::isinf(value);
        largest += std::fabs(value) == traits(format).max_finite;
      }
      EXPECT_EQ(nan + infinite + largest, 6);
      EXPECT_EQ(largest, 2);
      EXPECT_EQ(infinite, format == Format::kE4m3 ? 0 : 2);
    }
  }
}

TEST(Poison, VariantsDifferInEveryElement) {
  for (const Format format : kAllFormats) {
    const Index bytes = size_bytes(format);
    std::vector<std::byte> memory[2];
    for (int variant = 0; variant < 2; ++variant) {
      memory[variant].resize(static_cast<std::size_t>(12 * bytes));
      PoisonPattern::of(format, variant).fill(memory[variant].data(), 12 * bytes, -5 * bytes);
    }
    for (Index i = 0; i < 12; ++i) {
      EXPECT_NE(load_bits(format, memory[0].data() + i * bytes),
                load_bits(format, memory[1].data() + i * bytes));
    }
    if (!traits(format).stored) { continue; }
    EXPECT_NE(unwritten_bits(format, 0), unwritten_bits(format, 1));
    EXPECT_TRUE(std::isnan(decode(format, unwritten_bits(format, 0))));
    EXPECT_TRUE(std::isnan(decode(format, unwritten_bits(format, 1))));
  }
}

TEST(Poison, OfAPieceIsThatOfTheWhole) {
  const PoisonPattern& poison = PoisonPattern::of(Format::kFp32, 1);
  std::vector<std::byte> whole(40000);
  poison.fill(whole.data(), 40000, -1234);
  EXPECT_EQ(poison.first_difference(whole.data(), 40000, -1234), -1);
  for (const Index from : {0, 1, 7, 1234, 12288, 12289, 30001}) {
    EXPECT_EQ(poison.first_difference(whole.data() + from, 40000 - from, from - 1234), -1) << from;
    EXPECT_NE(poison.first_difference(whole.data() + from, 40000 - from, from - 1233), -1) << from;
  }
}

TEST(Poison, FindsTheFirstByteThatDiffers) {
  const PoisonPattern& poison = PoisonPattern::of(IndexType::kI64, 0);
  std::vector<std::byte> memory(30000);
  poison.fill(memory.data(), 30000, 3);
  for (const Index changed : {29999, 24577, 12288, 12287, 0}) {
    memory[changed] ^= std::byte{1};
    EXPECT_EQ(poison.first_difference(memory.data(), 30000, 3), changed);
  }
}

}  // namespace
}  // namespace assay
