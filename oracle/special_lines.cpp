#include "oracle/special_lines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "oracle/element_lines.h"
#include "oracle/fast/simd.h"
#include "oracle/number_line.h"

namespace assay::oracle {
namespace {

constexpr Index kWordBits = 64;
static_assert(kElementChunk % kWordBits == 0);

// At most 64 elements and their codes, as values.
struct Span {
  const double* values = nullptr;
  const double* codes = nullptr;
  Index count = 0;
  double flushed_below = 0;
};
struct Bits {
  std::uint64_t nan = 0, infinite = 0, zero = 0, negative = 0, flushed = 0;
};
ASSAY_SIMD_BODY void classify_body(const Span& span, Bits& bits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Span from = span;
  Bits found;
  for (Index i = 0; i < from.count; ++i) {
    const double value = from.values[i], code = std::abs(from.codes[i]);
    const std::uint64_t bit = std::uint64_t{1} << i;
    found.nan |= value != value ? bit : 0;
    found.infinite |= std::abs(value) == kInfinity ? bit : 0;
    found.zero |= value == 0 ? bit : 0;
    found.negative |= std::bit_cast<std::uint64_t>(value) >> 63 << i;
    found.flushed |= code < from.flushed_below ? bit : 0;
  }
  // A zero among the codes is nothing that is flushed, whatever its scale is.
  for (Index i = 0; i < from.count; ++i) {
    found.flushed &= ~(from.codes[i] == 0 ? std::uint64_t{1} << i : 0);
  }
  bits = found;
}
ASSAY_SIMD_FUNCTION(classify, classify_body, (const Span& span, Bits& bits), (span, bits))

// Part of a row: codes after the conversion, and elements, their scales included.
class Chunk {
 public:
  Chunk(const Matrix& matrix, Conversion conversion) : matrix_(matrix), conversion_(conversion) {}

  void read(Index row, Index first, Index count) {
    float floats[kElementChunk];
    read_elements({matrix_.format, matrix_.address(row, first), matrix_.col_stride, count}, floats,
                  conversion_);
    for (Index i = 0; i < count; ++i) {
      codes_[i] = floats[i];
      if (std::isinf(floats[i]) && point_of(matrix_.format, matrix_.bits(row, first + i)).nan) {
        codes_[i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    std::copy_n(codes_, count, values_);
    if (!matrix_.scales.present()) { return; }
    for_each_scale(matrix_.scales, row, first, count, [&](Index at, Index run, double scale) {
      for (Index i = at; i < at + run; ++i) { values_[i] *= scale; }
    });
  }
  Span span(Index at, Index count, double flushed_below) const {
    return {values_ + at, codes_ + at, count, flushed_below};
  }

 private:
  const Matrix& matrix_;
  Conversion conversion_;
  double codes_[kElementChunk], values_[kElementChunk];
};

}  // namespace

SpecialLines::SpecialLines(const Matrix& matrix, Conversion conversion, const Flushing& flushing)
    : words_each_((matrix.cols + kWordBits - 1) / kWordBits),
      words_(matrix.rows * words_each_),
      special_(matrix.rows, 0) {
  const Format format = converted_format(matrix.format, conversion);
  const double flushed_below =
      flushing.input(format) ? std::ldexp(1.0, shape(format).min_exponent) : 0;
  Chunk chunk(matrix, conversion);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index first = 0; first < matrix.cols; first += kElementChunk) {
      const Index count = std::min(kElementChunk, matrix.cols - first);
      chunk.read(row, first, count);
      for (Index at = 0; at < count; at += kWordBits) {
        Bits bits;
        classify(chunk.span(at, std::min(kWordBits, count - at), flushed_below), bits);
        words_[row * words_each_ + (first + at) / kWordBits] = {bits.nan, bits.infinite, bits.zero,
                                                                bits.negative, bits.flushed};
        if ((bits.nan | bits.infinite) != 0) { special_[row] = 1; }
      }
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
