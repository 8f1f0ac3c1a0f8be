#include "oracle/element_lines.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/oracle/cases.h"

namespace assay::oracle {
namespace {

constexpr Conversion kConversions[] = {Conversion::kNone, Conversion::kTf32Rz, Conversion::kTf32Rna,
                                       Conversion::kBf16};

Matrix column_of(const std::vector<std::uint8_t>& bytes, Format format, Index count) {
  return {bytes.data(), format, count, 1, 1, count};
}

// All patterns of a narrow format, or random ones of fp32 with the borders of conversions.
std::vector<std::uint8_t> patterns(Format format, Index& count) {
  const Index size_bytes = shape(format).size_bytes;
  count = Index{1} << (size_bytes == 1 ? 8 : 16);
  std::vector<std::uint8_t> bytes(count * size_bytes);
  std::mt19937_64 random(5);
  for (Index i = 0; i < count; ++i) {
    auto bits = static_cast<std::uint32_t>(i);
    if (size_bytes == 4) {
      bits = static_cast<std::uint32_t>(random());
      if (i % 4 == 0) { bits = (bits & 0xFFFFE000) | 0x1000; }
      if (i % 4 == 1) { bits = (bits & 0xFFFF0000) | 0x8000; }
      if (i % 64 == 2) { bits = (bits & 0x80000000) | (0x7F7FF000 + (bits & 0x1FFF)); }
    }
    store(format, bytes.data() + i * size_bytes, bits);
  }
  return bytes;
}

TEST(ElementLines, DecodeEveryPatternLikeThePlainDecoder) {
  for (const Format format : kAllFormats) {
    for (const Conversion conversion : kConversions) {
      Index count = 0;
      const std::vector<std::uint8_t> bytes = patterns(format, count);
      const Matrix matrix = column_of(bytes, format, count);
      std::vector<double> values(count), magnitudes64(count);
      std::vector<float> magnitudes32(count);
      decode_line({format, matrix.address(0, 0), 1, count}, conversion,
                  {values.data(), magnitudes32.data(), magnitudes64.data()});
      for (Index i = 0; i < count; ++i) {
        double plain = operand_value(format, matrix.bits(i, 0), conversion);
        if (!std::isfinite(plain)) { plain = 0; }
        ASSERT_EQ(values[i], plain) << i;
        ASSERT_EQ(magnitudes32[i], std::abs(plain)) << i;
        ASSERT_EQ(magnitudes64[i], std::abs(plain)) << i;
      }
    }
  }
}

TEST(ElementLines, RangeIsThatOfThePlainLoop) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 400; ++round) {
    TestShape test{.m = static_cast<Index>(random() % 6), .n = 1};
    test.k = static_cast<Index>(random() % 700);
    test.in = kAllFormats[round % std::size(kAllFormats)];
    test.fill = static_cast<TestFill>(random() % kTestFillCount);
    test.a_by_columns = random() % 2 == 0;
    const TestProduct drawn(test, random);
    for (const Conversion conversion : kConversions) {
      const OperandRange plain = range_of(drawn.product().a, conversion);
      const OperandRange fast = fast_range_of(drawn.product().a, conversion);
      ASSERT_EQ(fast.largest, plain.largest);
      ASSERT_EQ(fast.subnormal, plain.subnormal);
      ASSERT_EQ(fast.finite, plain.finite);
      ASSERT_EQ(fast.quantum_exponent, plain.quantum_exponent);
    }
  }
}

}  // namespace
}  // namespace assay::oracle
