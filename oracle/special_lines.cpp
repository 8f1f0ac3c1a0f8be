#include "oracle/special_lines.h"

#include <cmath>
#include <limits>

namespace assay::oracle {
namespace {

constexpr Index kWordBits = 64;

}  // namespace

SpecialLines::SpecialLines(const Matrix& matrix, Conversion conversion, const Flushing& flushing)
    : words_each_((matrix.cols + kWordBits - 1) / kWordBits),
      words_(matrix.rows * words_each_),
      special_(matrix.rows, 0) {
  const Format format = converted_format(matrix.format, conversion);
  const double flushed_below =
      flushing.input(format) ? std::ldexp(1.0, shape(format).min_exponent) : 0;
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const double value = element_value(matrix, row, col, conversion);
      const std::uint64_t bit = std::uint64_t{1} << (col % kWordBits);
      Word& word = words_[row * words_each_ + col / kWordBits];
      if (std::isnan(value)) { word.nan |= bit; }
      if (std::isinf(value)) { word.infinite |= bit; }
      if (value == 0) { word.zero |= bit; }
      const float code = operand_value(matrix.format, matrix.bits(row, col), conversion);
      if (code != 0 && std::abs(code) < flushed_below) { word.flushed |= bit; }
      if (std::signbit(value)) { word.negative |= bit; }
      if (!std::isfinite(value)) { special_[row] = 1; }
    }
  }
}

bool infinity_meets_flushed(const SpecialLines& a, Index row, const SpecialLines& b, Index col) {
  std::uint64_t met = 0;
  for (Index i = 0; i < a.words_each_; ++i) {
    const SpecialLines::Word& x = a.words_[row * a.words_each_ + i];
    const SpecialLines::Word& y = b.words_[col * b.words_each_ + i];
    met |= (x.infinite & y.flushed) | (x.flushed & y.infinite);
  }
  return met != 0;
}

double special_sum(const SpecialLines& a, Index row, const SpecialLines& b, Index col) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bool rises = false, falls = false;
  for (Index i = 0; i < a.words_each_; ++i) {
    const SpecialLines::Word& x = a.words_[row * a.words_each_ + i];
    const SpecialLines::Word& y = b.words_[col * b.words_each_ + i];
    if ((x.nan | y.nan | (x.infinite & y.zero) | (x.zero & y.infinite)) != 0) { return kNan; }
    const std::uint64_t infinite = x.infinite | y.infinite, negative = x.negative ^ y.negative;
    rises |= (infinite & ~negative) != 0;
    falls |= (infinite & negative) != 0;
  }
  if (rises && falls) { return kNan; }
  return rises ? kInfinity : falls ? -kInfinity : 0;
}

}  // namespace assay::oracle
