#include "src/problem/quantise.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Format kCodes[] = {Format::kE4m3, Format::kE5m2, Format::kE2m1, Format::kInt8};

TEST(Quantise, TheLargestNumberIsTheLargestCode) {
  for (const Format format : kCodes) {
    const double largest = traits(format).max_finite;
    for (const double amax : {0.37, 1.0, 6.1, 447.9, 3e5}) {
      const double scale =
          decode(ScaleFormat::kFp32, quantising_scale(ScaleFormat::kFp32, format, amax));
      EXPECT_EQ(decode(format, quantised_code(format, amax, scale)), largest) << name(format);
      EXPECT_EQ(decode(format, quantised_code(format, -amax, scale)), -largest) << name(format);
      // No larger number becomes NaN or an infinity.
      EXPECT_EQ(decode(format, quantised_code(format, 1e9 * amax, scale)), largest);
      // OCP: a power of two, and the codes reach the upper half of the format's last binade.
      const double power =
          decode(ScaleFormat::kE8m0, quantising_scale(ScaleFormat::kE8m0, format, amax));
      EXPECT_EQ(std::exp2(std::round(std::log2(power))), power);
      EXPECT_EQ(std::ilogb(amax / power), std::ilogb(largest)) << name(format) << amax;
    }
    EXPECT_EQ(decode(ScaleFormat::kFp32, quantising_scale(ScaleFormat::kFp32, format, 0)), 1);
  }
  EXPECT_EQ(decode(ScaleFormat::kE4m3, quantising_scale(ScaleFormat::kE4m3, Format::kE2m1, 1e-9)),
            0x1p-9);
  EXPECT_EQ(decode(ScaleFormat::kE4m3, quantising_scale(ScaleFormat::kE4m3, Format::kE2m1, 1e9)),
            448);
}

TEST(Quantise, RoundsOnceToNearestEven) {
  // Steps of 1 from 8 to 16, ties to even.
  EXPECT_EQ(decode(Format::kE4m3, quantised_code(Format::kE4m3, 2.125, 0.25)), 8);
  EXPECT_EQ(decode(Format::kE4m3, quantised_code(Format::kE4m3, 2.375, 0.25)), 10);
  EXPECT_EQ(decode(Format::kInt8, quantised_code(Format::kInt8, 2.5, 1)), 2);
  EXPECT_EQ(decode(Format::kInt8, quantised_code(Format::kInt8, -3.5, 1)), -4);
}

// NVFP4: the block with a tensor's largest number has the largest scale.
TEST(Quantise, ATensorsScaleLetsItsBlocksUseTheWholeRange) {
  const auto spec = parse_case("pass=fwd in=e2m1/nv out=bf16 k=64 n=40 rows=9,0,12 fill=normal");
  ASSERT_TRUE(spec);
  const Problem problem = make_problem(*spec);
  const DenseScales &x = problem.scales.x, &w = problem.scales.w;
  ASSERT_EQ(std::ssize(x.tensor_scales), 1);
  ASSERT_EQ(std::ssize(w.tensor_scales), 3);
  const auto largest = [](const DenseScales& scales, Index first, Index end) {
    double most = 0;
    for (Index row = first; row < end; ++row) {
      for (Index col = 0; col < scales.cols; ++col) {
        most = std::max(most, decode(scales.format, scales.load(row, col)));
      }
    }
    return most;
  };
  EXPECT_EQ(largest(x, 0, x.rows), 448);
  for (Index expert = 0; expert < 3; ++expert) {
    EXPECT_EQ(largest(w, w.first[expert], w.first[expert + 1]), 448);
    EXPECT_GT(w.tensor_scale(expert), 0);
    EXPECT_LT(w.tensor_scale(expert), 0.02F);
  }
  EXPECT_NE(w.tensor_scale(0), w.tensor_scale(1));
  const auto empty = parse_case("pass=fwd in=e2m1/nv out=bf16 k=16 n=2 rows=0 fill=normal");
  ASSERT_TRUE(empty);
  EXPECT_EQ(make_problem(*empty).scales.x.tensor_scale(0), 1);
  EXPECT_EQ(quantising_tensor_scale(Format::kE2m1, 0), 1);
  EXPECT_EQ(quantising_tensor_scale(Format::kE2m1, 448 * 6), 1);
}

// Elements stay what they were drawn as, but for half a step of the codes.
TEST(Quantise, ElementsOfACaseAreNearTheNumbersTheyCameFrom) {
  for (const char* const text :
       {"pass=fwd in=e4m3/block128 out=bf16 k=300 n=140 rows=5,0,3 fill=normal",
        "pass=dgrad in=e4m3/mx out=bf16 k=40 n=70 rows=5,3 weights=ekn fill=normal",
        "pass=wgrad in=int8/block128 out=fp32 k=9 n=7 rows=130,0,20 fill=normal",
        "pass=fwd in=x:bf16,w:e2m1/mx out=bf16 k=64 n=6 rows=4,2 fill=normal",
        "pass=fwd in=e2m1/nv out=bf16 k=64 n=40 rows=9,0,12 fill=normal",
        "pass=wgrad in=e2m1/nv out=fp32 k=8 n=6 rows=64,32 fill=normal",
        "pass=fwd in=e4m3/tensor out=fp32 k=30 n=6 rows=4,2 fill=normal"}) {
    const auto spec = parse_case(text);
    ASSERT_TRUE(spec) << text;
    const Problem problem = make_problem(*spec);
    int largest = 0;
    for (const Role role : kAllRoles) {
      if (!is_quantised(*spec, role)) { continue; }
      const DenseOperand& codes = problem.operands[role];
      const double most = traits(codes.format).max_finite;
      for (Index row = 0; row < codes.rows; ++row) {
        for (Index col = 0; col < codes.cols; ++col) {
          const double code =
              decode(codes.format, load_bits(codes.format, codes.element(row, col)));
          ASSERT_TRUE(std::isfinite(code));
          largest += std::abs(code) == most ? 1 : 0;
        }
      }
      const DenseScales& scales = problem.scales[role];
      for (Index row = 0; row < scales.rows; ++row) {
        const double scale = decode(scales.format, scales.load(row, 0));
        EXPECT_GT(scale, 0);
        EXPECT_LT(scale, scales.tensors > 0 ? 449 : 16);
      }
    }
    EXPECT_GT(largest, 0) << text;
  }
}

}  // namespace
}  // namespace assay
