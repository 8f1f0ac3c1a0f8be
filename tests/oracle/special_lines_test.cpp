#include "oracle/special_lines.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace assay::oracle {
namespace {

constexpr Index kLines = 24;

// Lines of few special elements, so that each class of sum comes up.
class Elements {
 public:
  Elements(Format format, Index length, std::mt19937_64& random) {
    const double values[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 3.0e38, 1.5, -2.0};
    const std::uint64_t plain = 1 + random() % 40;
    for (Index i = 0; i < kLines * length; ++i) {
      const std::uint64_t drawn = random() % (8 * plain);
      const double value = values[drawn < 8 ? drawn : 6 + random() % 2];
      bytes_.resize(bytes_.size() + shape(format).size_bytes);
      store(format, bytes_.data() + i * shape(format).size_bytes, round_nearest(format, value));
    }
    matrix_ = {bytes_.data(), format, kLines, length, length, 1};
  }
  const Matrix& matrix() const { return matrix_; }

 private:
  std::vector<char> bytes_;
  Matrix matrix_;
};

double summed(const Matrix& a, Index row, const Matrix& b, Index col, Conversion conversion) {
  double sum = 0;
  for (Index k = 0; k < a.cols; ++k) {
    sum += static_cast<double>(operand_value(a.format, a.bits(row, k), conversion)) *
           operand_value(b.format, b.bits(col, k), conversion);
  }
  return sum;
}

TEST(SpecialLines, SumsBecomeWhatPlainSumsBecome) {
  std::mt19937_64 random(1);
  int nan = 0, infinite = 0, finite = 0;
  for (const Format format : {Format::kBf16, Format::kFp32, Format::kE5m2, Format::kE4m3}) {
    for (const Conversion conversion :
         {Conversion::kNone, Conversion::kTf32Rna, Conversion::kBf16}) {
      if (format != Format::kFp32 && conversion != Conversion::kNone) { continue; }
      for (const Index length : {0, 1, 63, 64, 65, 200}) {
        const Elements a(format, length, random), b(format, length, random);
        const SpecialLines rows(a.matrix(), conversion), cols(b.matrix(), conversion);
        for (Index i = 0; i < kLines * kLines; ++i) {
          const Index row = i / kLines, col = i % kLines;
          const double expected = summed(a.matrix(), row, b.matrix(), col, conversion);
          const double sum = special_sum(rows, row, cols, col);
          if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(sum)) << row << ' ' << col << " of " << length;
            ++nan;
          } else {
            ASSERT_EQ(sum, std::isinf(expected) ? expected : 0) << row << ' ' << col;
            std::isinf(expected) ? ++infinite : ++finite;
          }
          ASSERT_TRUE(std::isfinite(expected) || rows.any(row) || cols.any(col));
        }
      }
    }
  }
  EXPECT_GT(nan, 1000);
  EXPECT_GT(infinite, 1000);
  EXPECT_GT(finite, 1000);
}

}  // namespace
}  // namespace assay::oracle
