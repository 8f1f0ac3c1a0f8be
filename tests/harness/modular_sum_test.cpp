// The GPU's arithmetic of fingerprints, compiled for the host, against the oracle's.
#include "src/harness/device/cuda/modular_sum.h"

#include <bit>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "oracle/fingerprint/modular.h"

namespace assay {
namespace {

using oracle::kPrime;
using oracle::Residue;

constexpr std::int64_t kLargest = std::int64_t{1} << 30;

// Holds every pattern against what the oracle reads, in a column that is multiplied with 1.
template <class Bits>
void expect_same_integers(oracle::Format format, const std::vector<Bits>& patterns,
                          const oracle::IntegerForm& form) {
  const oracle::Matrix matrix{.data = patterns.data(),
                              .format = format,
                              .rows = static_cast<Index>(patterns.size()),
                              .cols = 1,
                              .row_stride = 1};
  const Residue one = Residue::of(1);
  const oracle::IntegerProduct expected = oracle::multiply_modulo(matrix, form, {&one, 1});
  const IntegerReading reading = reading_of(format, form);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::int32_t value = 0;
    const bool good = read_integer(reading, patterns[i], value);
    ASSERT_EQ(good, expected.bad_rows[i] == 0)
        << static_cast<int>(format) << ' ' << patterns[i] << ' ' << form.unit << ' ' << form.limit;
    if (good) {
      ASSERT_EQ(Residue::of(value), expected.values[i]) << patterns[i] << ' ' << form.unit;
    } else {
      ASSERT_EQ(value, 0);
    }
  }
}

constexpr int kUnits[] = {-100, -40, -24, -14, -7, -1, 0, 1, 2, 9, 31, 100};
constexpr std::int32_t kLimits[] = {0, 1, 1 << 8, 1 << 11, 1 << 22, 1 << 24, 1 << 30};

TEST(ModularSum, ReadsEveryPatternAsTheOracleDoes) {
  std::vector<std::uint8_t> narrow(1 << 8);
  std::vector<std::uint16_t> wide(1 << 16);
  for (std::size_t i = 0; i < wide.size(); ++i) { wide[i] = static_cast<std::uint16_t>(i); }
  for (std::size_t i = 0; i < narrow.size(); ++i) { narrow[i] = static_cast<std::uint8_t>(i); }
  for (const int unit : kUnits) {
    for (const std::int32_t limit : kLimits) {
      expect_same_integers(oracle::Format::kBf16, wide, {unit, limit});
      expect_same_integers(oracle::Format::kFp16, wide, {unit, limit});
      expect_same_integers(oracle::Format::kE4m3, narrow, {unit, limit});
      expect_same_integers(oracle::Format::kE5m2, narrow, {unit, limit});
      expect_same_integers(oracle::Format::kInt8, narrow, {unit, limit});
    }
  }
}

TEST(ModularSum, ReadsFp32AsTheOracleDoes) {
  std::mt19937_64 random(1);
  for (const int unit : kUnits) {
    std::vector<std::uint32_t> patterns = {0,          0x80000000U, 1,          0x007FFFFF,
                                           0x7F7FFFFF, 0x7F800000,  0x7FC00000, 0xFF800001};
    for (int i = 0; i < 4000; ++i) {
      const auto whole = static_cast<std::int32_t>(random()) >> (random() % 32);
      const float value = std::ldexp(static_cast<float>(whole), unit);
      const auto bits = std::bit_cast<std::uint32_t>(value);
      patterns.insert(patterns.end(), {bits, bits + 1, bits - 1, bits ^ 1U << (random() % 32),
                                       static_cast<std::uint32_t>(random())});
    }
    for (const std::int32_t limit : kLimits) {
      expect_same_integers(oracle::Format::kFp32, patterns, {unit, limit});
    }
  }
}

TEST(ModularSum, WholeNumbersHaveTheOraclesResidues) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> values = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  for (std::int64_t near = -4; near <= 4; ++near) {
    for (std::int64_t times = -3; times <= 3; ++times) {
      values.push_back(times * static_cast<std::int64_t>(kPrime) + near);
    }
  }
  for (int i = 0; i < 10000; ++i) { values.push_back(static_cast<std::int64_t>(random())); }
  for (const std::int64_t value : values) {
    ASSERT_EQ(modulo(value), Residue::of(value).value()) << value;
  }
}

std::vector<std::uint64_t> residues(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint64_t> values = {0,
                                       1,
                                       2,
                                       kPrime - 1,
                                       kPrime - 2,
                                       kPrime / 2,
                                       std::uint64_t{1} << 60,
                                       (std::uint64_t{1} << 42) - 1};
  std::mt19937_64 random(seed);
  while (values.size() < count) { values.push_back(random() % kPrime); }
  return values;
}

TEST(ModularSum, AddsAndShiftsAsTheOracleMultiplies) {
  const std::vector<std::uint64_t> values = residues(3, 300);
  for (const std::uint64_t x : values) {
    for (const std::uint64_t y : values) {
      ASSERT_EQ(add_modulo(x, y), (Residue::reduced(x) + Residue::reduced(y)).value());
    }
    for (int bits = 1; bits < kResidueBits; ++bits) {
      const Residue power = Residue::reduced(std::uint64_t{1} << bits);
      ASSERT_EQ(shift_modulo(x, bits), (Residue::reduced(x) * power).value()) << x << ' ' << bits;
    }
  }
}

TEST(ModularSum, SumsOfProductsAreTheOracles) {
  std::mt19937_64 random(4);
  for (const std::uint64_t x : residues(5, 60)) {
    // The largest sums that are allowed, of both signs.
    for (const std::int64_t value : {kLargest, -kLargest}) {
      LimbSums sums;
      for (int i = 0; i < 1 << 12; ++i) { sums.add(static_cast<std::int32_t>(value), limbs_of(x)); }
      const Residue expected = Residue::of(value * (1 << 12)) * Residue::reduced(x);
      ASSERT_EQ(sums.residue(), expected.value()) << x << ' ' << value;
    }
  }
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LimbSums sums;
    Residue expected;
    for (const std::uint64_t x : residues(seed, 2000)) {
      const auto value = static_cast<std::int32_t>(random() % (2 * kLargest + 1) - kLargest);
      sums.add(value, limbs_of(x));
      expected = expected + Residue::of(value) * Residue::reduced(x);
    }
    ASSERT_EQ(sums.residue(), expected.value());
  }
}

TEST(ModularSum, HalvesAddUpInAnyNumber) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::uint64_t low = 0, high = 0;
    Residue expected;
    for (const std::uint64_t x : residues(seed, 3000)) {
      low += low_half(x);
      high += high_half(x);
      expected = expected + Residue::reduced(x);
    }
    ASSERT_EQ(join_halves(low, high), expected.value());
  }
  // As many as there may be.
  const std::uint64_t times = std::uint64_t{1} << 32, x = kPrime - 1;
  EXPECT_EQ(join_halves(low_half(x) * (times - 1) + low_half(x), high_half(x) * times),
            (Residue::reduced(x) * Residue::reduced(times)).value());
}

}  // namespace
}  // namespace assay
