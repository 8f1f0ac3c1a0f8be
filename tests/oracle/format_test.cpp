#include "oracle/format.h"

#include <cmath>

#include <gtest/gtest.h>

#include "oracle/number_line.h"
#include "src/problem/format.h"

namespace assay::oracle {
namespace {

struct Pair {
  Format oracle;
  assay::Format problem;
};
constexpr Pair kPairs[] = {
    {Format::kBf16, assay::Format::kBf16}, {Format::kFp16, assay::Format::kFp16},
    {Format::kFp32, assay::Format::kFp32}, {Format::kE4m3, assay::Format::kE4m3},
    {Format::kE5m2, assay::Format::kE5m2}, {Format::kE2m1, assay::Format::kE2m1},
    {Format::kInt8, assay::Format::kInt8}};

bool same(double x, double y) {
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

TEST(Format, BothDecodersReadEveryPatternAlike) {
  for (const Pair& pair : kPairs) {
    const int bits_count = shape(pair.oracle).bits;
    // fp32: a prime stride meets all exponents and both ends of the fractions.
    const std::uint64_t step = bits_count == 32 ? 4099 : 1;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << bits_count; bits += step) {
      const auto pattern = static_cast<std::uint32_t>(bits);
      ASSERT_TRUE(same(to_double(pair.oracle, pattern), assay::decode(pair.problem, pattern)))
          << std::hex << pattern;
    }
  }
}

TEST(Format, DecodedPartsMakeTheValue) {
  for (const Format format :
       {Format::kBf16, Format::kFp16, Format::kE4m3, Format::kE5m2, Format::kE2m1, Format::kInt8}) {
    for (std::uint32_t bits = 0; bits < 2 * shape(format).sign_bit(); ++bits) {
      const Decoded parts = decode(format, bits);
      const double value = to_double(format, bits);
      ASSERT_EQ(parts.kind == Decoded::Class::kNan, std::isnan(value));
      ASSERT_EQ(parts.kind == Decoded::Class::kInfinite, std::isinf(value));
      if (parts.kind != Decoded::Class::kFinite) { continue; }
      ASSERT_EQ(parts.negative, std::signbit(value));
      ASSERT_EQ(std::ldexp(static_cast<double>(parts.significand), parts.exponent),
                std::abs(value));
    }
  }
}

TEST(Format, Int8IsTwosComplement) {
  for (int value = -128; value <= 127; ++value) {
    const auto code = static_cast<std::uint32_t>(static_cast<std::uint8_t>(value));
    ASSERT_EQ(to_double(Format::kInt8, code), value);
    ASSERT_EQ(round_nearest(Format::kInt8, value), code);
    ASSERT_EQ(round_toward_zero(Format::kInt8, value + (value < 0 ? -0.5 : 0.5)), code);
  }
  EXPECT_EQ(round_nearest(Format::kInt8, 1e9), 0x7Fu);
  EXPECT_EQ(round_nearest(Format::kInt8, -HUGE_VAL), 0x80u);
  EXPECT_EQ(largest_of(Format::kInt8), 128);
  EXPECT_EQ(largest_of(Format::kE4m3), 448);
}

TEST(Format, EightBitFormatsHaveTheirPublishedLimits) {
  EXPECT_EQ(to_double(Format::kE4m3, 0x7E), 448);
  EXPECT_TRUE(std::isnan(to_double(Format::kE4m3, 0x7F)));
  EXPECT_EQ(to_double(Format::kE4m3, 0x01), 0x1p-9);
  EXPECT_EQ(to_double(Format::kE5m2, 0x7B), 57344);
  EXPECT_TRUE(std::isinf(to_double(Format::kE5m2, 0x7C)));
  EXPECT_EQ(round_nearest(Format::kE4m3, 464), 0x7Eu);  // the tie goes to the even 448
  EXPECT_EQ(round_nearest(Format::kE4m3, std::nextafter(464, 500)), 0x7Fu);
  EXPECT_EQ(round_nearest(Format::kFp16, 65519), 0x7BFFu);
  EXPECT_EQ(round_nearest(Format::kFp16, 65520), 0x7C00u);
}

// Every number, the midpoint above it, and the doubles around that midpoint.
TEST(Format, RoundsToTheNearestAndTiesToEven) {
  for (const Format format : {Format::kBf16, Format::kFp16, Format::kE4m3, Format::kE5m2}) {
    const std::uint32_t sign = shape(format).sign_bit();
    for (std::uint32_t bits = 0; bits <= shape(format).max_finite; ++bits) {
      const double value = to_double(format, bits);
      ASSERT_EQ(round_nearest(format, value), bits);
      ASSERT_EQ(round_nearest(format, -value), bits | sign);
      ASSERT_EQ(round_toward_zero(format, value), bits);
      const double middle = midpoint_above(format, static_cast<Place>(bits));
      const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
      ASSERT_EQ(round_nearest(format, middle), even);
      ASSERT_EQ(round_nearest(format, std::nextafter(middle, 0)), bits);
      ASSERT_EQ(round_nearest(format, std::nextafter(middle, HUGE_VAL)), bits + 1);
      ASSERT_EQ(round_toward_zero(format, -std::nextafter(middle, HUGE_VAL)), bits | sign);
      if (bits < shape(format).max_finite) {
        ASSERT_EQ(middle, (value + to_double(format, bits + 1)) / 2);
      }
    }
  }
}

TEST(Format, RoundsDoublesToFloatsAsTheMachineDoes) {
  std::uint64_t state = 1;
  for (int i = 0; i < 2000000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    // Exponents over the range of fp32 and a little beyond, significands with long runs too.
    const std::uint64_t exponent = 1023 - 160 + (state >> 33) % 300;
    const std::uint64_t fraction = (state << 20 ^ state) >> 12 & ~(i % 3 == 0 ? 0x1FFFFFFFull : 0);
    const std::uint64_t tie = i % 5 == 0 ? 0x10000000ull : 0;
    const double value = std::bit_cast<double>(exponent << 52 | fraction | tie);
    ASSERT_EQ(round_nearest(Format::kFp32, value),
              std::bit_cast<std::uint32_t>(static_cast<float>(value)))
        << value;
  }
}

TEST(Format, StoredBitsAreLoadedAgainAtAnyAddress) {
  for (const Format format : kAllFormats) {
    unsigned char bytes[9] = {};
    const auto pattern =
        static_cast<std::uint32_t>(0xA1B2C3D4u & (2ull * shape(format).sign_bit() - 1));
    store(format, bytes + 3, pattern);
    EXPECT_EQ(load(format, bytes + 3), pattern);
    EXPECT_EQ(bytes[2], 0);
    EXPECT_EQ(bytes[3 + shape(format).size_bytes], 0);
  }
}

}  // namespace
}  // namespace assay::oracle
