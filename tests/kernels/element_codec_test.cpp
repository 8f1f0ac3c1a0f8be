#include "src/kernels/element_codec.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "src/kernels/cpu/isa.h"

namespace assay {
namespace {

std::uint32_t narrowed(Format format, float value) {
  std::uint32_t bits = 0;
  narrow(format, value, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

bool is_same(float widened, double decoded) {
  if (std::isnan(decoded)) { return std::isnan(widened); }
  return std::bit_cast<std::uint64_t>(decoded) ==
         std::bit_cast<std::uint64_t>(static_cast<double>(widened));
}

TEST(ElementCodec, WidensEveryPatternAsTheProblemDecodesIt) {
  for (const Format format : {Format::kBf16, Format::kFp16}) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float widened = widen(format, reinterpret_cast<const std::byte*>(&bits));
      const double decoded = decode(format, bits);
      ASSERT_TRUE(is_same(widened, decoded)) << name(format) << ' ' << bits;
    }
  }
}

TEST(ElementCodec, WidensEveryByteAsTheProblemDecodesIt) {
  for (const Format format : {Format::kE4m3, Format::kE5m2, Format::kInt8}) {
    for (std::uint32_t bits = 0; bits < 0x100; ++bits) {
      const auto* const address = reinterpret_cast<const std::byte*>(&bits);
      const float widened = widen(format, address);
      const double decoded = decode(format, bits);
      ASSERT_TRUE(is_same(widened, decoded)) << name(format) << ' ' << bits;
      float one = 0;
      widen_run(format, address, 1, &one);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(one), std::bit_cast<std::uint32_t>(widened));
    }
  }
}

TEST(ElementCodec, NarrowsAsTheProblemEncodes) {
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 0x1003) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isnan(value)) { continue; }
    for (const Format format : {Format::kBf16, Format::kFp16, Format::kFp32}) {
      ASSERT_EQ(narrowed(format, value), encode(format, value)) << name(format) << ' ' << bits;
    }
    for (const Format format : {Format::kE4m3, Format::kE5m2}) {  // these saturate
      const double most = traits(format).max_finite;
      ASSERT_EQ(narrowed(format, value), encode(format, std::clamp<double>(value, -most, most)))
          << name(format) << ' ' << bits;
    }
  }
}

TEST(ElementCodec, ReadsBothHalvesOfAByteOfE2m1) {
  const double values[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::byte>(code);
    for (const bool high : {false, true}) {
      const unsigned half = high ? code >> 4 : code & 15;
      const double value = half < 8 ? values[half] : -values[half - 8];
      EXPECT_EQ(e2m1_half_to_float(&byte, high), value);
      EXPECT_EQ(std::signbit(e2m1_half_to_float(&byte, high)), half >= 8);
      EXPECT_EQ(decode(Format::kE2m1, half), value);
    }
  }
}

TEST(ElementCodec, WritesOneNan) {
  for (const std::uint32_t bits : {0x7f800001u, 0xffffffffu, 0xffc00000u, 0x7fbfffffu}) {
    const float nan = std::bit_cast<float>(bits);
    EXPECT_EQ(narrowed(Format::kBf16, nan), 0x7fc0u);
    EXPECT_EQ(narrowed(Format::kFp16, nan), 0x7e00u);
    EXPECT_EQ(narrowed(Format::kFp32, nan), 0x7fc00000u);
    EXPECT_EQ(narrowed(Format::kE4m3, nan), 0x7fu);
    EXPECT_EQ(narrowed(Format::kE5m2, nan), 0x7eu);
  }
}

TEST(ElementCodec, HasTheSizesOfTheFormats) {
  for (const Format format : kAllFormats) { EXPECT_EQ(element_bytes(format), size_bytes(format)); }
}

// Values at and around every rounding border of a 16-bit format.
std::vector<float> borders() {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 0x10000; high += 3) {
    for (const std::uint32_t low :
         {0u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      values.push_back(std::bit_cast<float>(high << 16 | low));
    }
  }
  return values;
}

TEST(IsaCodec, AgreesWithThePortableOne) {
  std::vector<float> values = borders();
  for (const char* isa_name : {"avx2", "avx512"}) {
    setenv("ASSAY_CPU_ISA", isa_name, 1);
    const Isa* isa = chosen_isa();
    unsetenv("ASSAY_CPU_ISA");
    if (isa == nullptr) { continue; }
    for (const Format format :
         {Format::kBf16, Format::kFp16, Format::kFp32, Format::kE4m3, Format::kE5m2}) {
      const auto count = static_cast<Index>(values.size());
      std::vector<std::byte> got(values.size() * 4), wanted(values.size() * 4);
      isa->narrow({format, 1, count, got.data(), 0, values.data(), 0});
      kPortableIsa.narrow({format, 1, count, wanted.data(), 0, values.data(), 0});
      EXPECT_EQ(got, wanted) << isa_name << ' ' << name(format);
      std::vector<float> widened(values.size()), expected(values.size());
      isa->widen({format, 1, count, wanted.data(), 0, widened.data(), 0});
      kPortableIsa.widen({format, 1, count, wanted.data(), 0, expected.data(), 0});
      EXPECT_EQ(std::memcmp(widened.data(), expected.data(), widened.size() * 4), 0) << isa_name;
    }
  }
}

}  // namespace
}  // namespace assay
