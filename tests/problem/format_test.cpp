#include "src/problem/format.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "src/problem/format_bits.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint32_t patterns(Format format) { return std::uint32_t{1} << traits(format).bits; }
std::uint32_t sign_of(Format format) { return patterns(format) / 2; }

// By the definition: the nearest of all finite codes, a tie to the even one; midpoints are exact in
// a double.
class NearestCode {
 public:
  explicit NearestCode(Format format) : format_(format) {
    for (std::uint32_t code = 0; code < sign_of(format); ++code) {
      const double value = decode(format, code);
      if (std::isfinite(value)) { values_.push_back(value); }
    }
  }
  std::uint32_t operator()(double value) const {
    const std::uint32_t sign = std::signbit(value) ? sign_of(format_) : 0;
    const double size = std::abs(value);
    std::uint32_t code = 0;
    while (code + 1 < values_.size() && midpoint(code) <= size) {
      if (midpoint(code) == size && code % 2 == 0) { break; }
      ++code;
    }
    const auto last = static_cast<std::uint32_t>(values_.size() - 1);
    if (code == last && (size > midpoint(last) || (size == midpoint(last) && last % 2 == 1))) {
      ++code;
    }
    return sign | code;  // one past the largest finite code: infinity, in e4m3 NaN
  }

 private:
  double midpoint(std::uint32_t code) const {
    const double next = code + 1 < values_.size()
                            ? values_[code + 1]
                            : values_[code] + (values_[code] - values_[code - 1]);
    return (values_[code] + next) / 2;
  }
  Format format_;
  std::vector<double> values_;
};

class NarrowFormat : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(All, NarrowFormat,
                         testing::Values(Format::kBf16, Format::kFp16, Format::kE4m3,
                                         Format::kE5m2),
                         [](const auto& format) { return std::string(name(format.param)); });

TEST_P(NarrowFormat, EveryPatternReencodesToItself) {
  for (std::uint32_t bits = 0; bits < patterns(GetParam()); ++bits) {
    const double value = decode(GetParam(), bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(decode(GetParam(), encode(GetParam(), value)))) << bits;
    } else {
      ASSERT_EQ(encode(GetParam(), value), bits) << value;
    }
  }
}

TEST_P(NarrowFormat, EveryMidpointAndItsNeighboursRoundToNearestEven) {
  const Format format = GetParam();
  for (std::uint32_t code = 0; decode(format, code + 1) < kInfinity; ++code) {
    const double low = decode(format, code), high = decode(format, code + 1);
    const double middle = (low + high) / 2;
    EXPECT_EQ(encode(format, middle), code % 2 == 0 ? code : code + 1);
    EXPECT_EQ(encode(format, std::nextafter(middle, 0)), code);
    EXPECT_EQ(encode(format, std::nextafter(middle, kInfinity)), code + 1);
    EXPECT_EQ(encode(format, -middle), sign_of(format) | (code % 2 == 0 ? code : code + 1));
  }
}

TEST_P(NarrowFormat, RandomDoublesRoundAsTheDefinitionSays) {
  const Format format = GetParam();
  const NearestCode nearest(format);
  const FormatTraits& shape = traits(format);
  Rng rng(7);
  const int largest = std::ilogb(shape.max_finite);
  for (int i = 0; i < (size_bytes(format) == 1 ? 20000 : 300); ++i) {
    const auto exponent = rng.between(shape.min_exponent - shape.significand_bits - 2, largest + 2);
    const double value = std::ldexp(1 + static_cast<double>(rng.next() >> 11) * 0x1p-53,
                                    static_cast<int>(exponent)) *
                         (rng.chance(1, 2) ? 1 : -1);
    const std::uint32_t expected = nearest(value);
    ASSERT_EQ(encode(format, value), expected) << value;
  }
}

TEST_P(NarrowFormat, TraitsAgreeWithTheCodes) {
  const FormatTraits& shape = traits(GetParam());
  double largest = 0;
  for (std::uint32_t bits = 0; bits < sign_of(GetParam()); ++bits) {
    const double value = decode(GetParam(), bits);
    if (std::isfinite(value)) { largest = std::max(largest, value); }
  }
  EXPECT_EQ(largest, shape.max_finite);
  EXPECT_EQ(decode(GetParam(), std::uint32_t{1} << (shape.significand_bits - 1)),
            std::ldexp(1, shape.min_exponent));
  EXPECT_EQ(decode(GetParam(), 1), std::ldexp(1, shape.min_exponent - shape.significand_bits + 1));
  EXPECT_EQ(format_named(shape.name), GetParam());
}

TEST(Inputs, OutputsAreOfTheirFormatOrWiderOrOfEightBits) {
  using enum Format;
  EXPECT_EQ(outputs_of(kBf16), (std::vector<Format>{kBf16, kFp32, kE4m3, kE5m2}));
  EXPECT_EQ(outputs_of(kFp32), (std::vector<Format>{kFp32, kE4m3, kE5m2}));
  EXPECT_EQ(outputs_of(kE4m3), (std::vector<Format>{kBf16, kFp16, kFp32, kE4m3, kE5m2}));
  EXPECT_TRUE(may_output(kE4m3, kE5m2));
  EXPECT_FALSE(may_output(kInt8, kInt8));
  EXPECT_FALSE(may_output(kE2m1, kE2m1));
  EXPECT_FALSE(may_output(kFp16, kBf16));
  const Inputs mixed({kBf16, {}}, {kE4m3, {}}), codes({kE5m2, {}}, {kE4m3, {}});
  EXPECT_EQ(outputs_of(mixed), (std::vector<Format>{kBf16, kFp32, kE4m3, kE5m2}));
  EXPECT_EQ(outputs_of(codes), (std::vector<Format>{kBf16, kFp16, kFp32, kE4m3, kE5m2}));
  EXPECT_EQ(default_output(codes), std::nullopt);
  EXPECT_EQ(default_output(mixed), kBf16);
  EXPECT_EQ(default_output(Inputs({kE4m3, {}}, {kFp16, {}})), kFp16);
}

TEST(Output, IsReadAsItIsPrinted) {
  for (const char* const text : {"bf16", "fp32", "e4m3", "e5m2/tensor", "e4m3/tensor"}) {
    const Result<Output> out = parse_output(text);
    ASSERT_TRUE(out) << text;
    EXPECT_EQ(name(*out), text);
  }
  EXPECT_EQ(*parse_output("e4m3/tensor"), Output(Format::kE4m3, true));
  EXPECT_FALSE(*parse_output("e4m3/tensor") == Format::kE4m3);
  for (const char* const text : {"e4m3/row", "e4m3/", "bf16/tensor", "int8/tensor", "fp8"}) {
    EXPECT_FALSE(parse_output(text)) << text;
  }
}

TEST(Format, PoisonIsNan) {
  for (const Format format : kAllFormats) {
    if (!traits(format).has_nan) { continue; }
    for (const int variant : {0, 1}) {
      EXPECT_TRUE(std::isnan(decode(format, traits(format).nan[variant]))) << name(format);
      EXPECT_TRUE(std::isnan(decode(format, traits(format).unwritten[variant]))) << name(format);
    }
  }
}

TEST(Format, Fp32RoundsAsTheProcessorDoes) {
  Rng rng(1);
  for (int i = 0; i < 200000; ++i) {
    double value = std::bit_cast<double>(rng.next());
    if (rng.chance(3, 4)) {  // near the range of fp32, subnormals included
      value = std::ldexp(1 + static_cast<double>(rng.next() >> 11) * 0x1p-53,
                         static_cast<int>(rng.between(-152, 129)));
    }
    if (std::isnan(value)) { continue; }
    ASSERT_EQ(encode(Format::kFp32, value), std::bit_cast<std::uint32_t>(static_cast<float>(value)))
        << value;
  }
}

TEST(Format, Fp32DecodesAsTheProcessorDoes) {
  Rng rng(2);
  for (int i = 0; i < 200000; ++i) {
    const auto bits = static_cast<std::uint32_t>(rng.next() >> (rng.chance(1, 8) ? 41 : 32));
    const double expected = static_cast<double>(std::bit_cast<float>(bits));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(decode(Format::kFp32, bits)));
    } else {
      ASSERT_EQ(decode(Format::kFp32, bits), expected) << bits;
      ASSERT_EQ(std::signbit(decode(Format::kFp32, bits)), std::signbit(expected)) << bits;
    }
  }
}

TEST(Format, RoundsOnceAndNotThroughAFloat) {
  // Just above the middle of 1 and the next bf16; a float between would lose the last bit and tie
  // to even.
  EXPECT_EQ(encode(Format::kBf16, 0x1.0100000001p0), 0x3f81u);
  EXPECT_EQ(encode(Format::kBf16, 0x1.01p0), 0x3f80u);
}

TEST(Format, OverflowAndSpecialValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(encode(Format::kFp16, 65519.999), 0x7bffu);
  EXPECT_EQ(encode(Format::kFp16, 65520), 0x7c00u);
  EXPECT_EQ(encode(Format::kFp16, -kInfinity), 0xfc00u);
  EXPECT_EQ(encode(Format::kE4m3, 464), 0x7eu);  // the tie goes to the even 448
  EXPECT_EQ(encode(Format::kE4m3, 464.001), 0x7fu);
  EXPECT_EQ(encode(Format::kE4m3, -kInfinity), 0xffu);
  EXPECT_EQ(encode(Format::kE5m2, 61440), 0x7cu);
  EXPECT_EQ(encode(Format::kBf16, 0x1.ffp127), 0x7f80u);
  EXPECT_EQ(encode(Format::kE2m1, 1e9), 0x7u);  // neither infinity nor NaN
  EXPECT_EQ(encode(Format::kE2m1, -6.5), 0xfu);
  EXPECT_EQ(encode(Format::kE2m1, 5), 0x6u);
  EXPECT_EQ(encode(Format::kE2m1, 0.25), 0u);
  for (const Format format : kAllFormats) {
    if (traits(format).has_nan) {
      EXPECT_TRUE(std::isnan(decode(format, encode(format, nan)))) << name(format);
    }
    const std::uint32_t minus_zero = traits(format).integer ? 0 : 1u << traits(format).sign_bit();
    EXPECT_EQ(encode(format, -0.0), minus_zero) << name(format);
    EXPECT_EQ(encode(format, std::numeric_limits<double>::denorm_min()), 0u) << name(format);
  }
}

TEST(Format, Int8IsTwosComplement) {
  const FormatBits layout = format_bits(Format::kInt8);
  for (int value = -128; value <= 127; ++value) {
    const auto code = static_cast<std::uint32_t>(static_cast<std::uint8_t>(value));
    ASSERT_EQ(decode(Format::kInt8, code), value);
    ASSERT_EQ(encode(Format::kInt8, value), code);
    ASSERT_EQ(encode(Format::kInt8, value + 0.25), code);
    const double half = value + 0.5;
    ASSERT_EQ(decode(Format::kInt8, encode(Format::kInt8, half)),
              value == 127 ? 127 : std::nearbyint(half));
    if (value > 0) {
      ASSERT_EQ(with_sign(layout, code, true), encode(Format::kInt8, -value));
      ASSERT_EQ(with_sign(layout, code, false), code);
    }
  }
  EXPECT_EQ(with_sign(layout, layout.nan_code, true), layout.nan_code);  // -128 has no negative
  EXPECT_EQ(encode(Format::kInt8, -1e300), 0x80u);
  EXPECT_EQ(encode(Format::kInt8, kInfinity), 0x7fu);
  EXPECT_EQ(traits(Format::kInt8).max_finite, 127);
}

TEST(Format, LoadsAndStoresAtAnyAddress) {
  for (const Format format : kAllFormats) {
    std::vector<unsigned char> bytes(8, 0xaa);
    store_bits(format, bytes.data() + 1, 0x04030201u);
    const std::uint32_t kept = size_bytes(format) == 4   ? 0x04030201u
                               : size_bytes(format) == 2 ? 0x0201u
                                                         : 0x01u;
    EXPECT_EQ(load_bits(format, bytes.data() + 1), kept);
    EXPECT_EQ(bytes[0], 0xaa);
    EXPECT_EQ(bytes[static_cast<std::size_t>(1 + size_bytes(format))], 0xaa);
  }
}

TEST(Format, UnknownNamesAreNoFormat) {
  EXPECT_FALSE(format_named("fp8").has_value());
  EXPECT_FALSE(format_named("").has_value());
}

}  // namespace
}  // namespace assay
