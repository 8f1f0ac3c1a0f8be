#include "oracle/integer_lines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "oracle/fast/simd.h"
#include "src/core/require.h"

namespace assay::oracle {
namespace {

constexpr int kLowBits = 31;

// A residue as two halves that fit 32-bit integers: high * 2^31 + low.
struct Halves {
  std::int32_t low = 0, high = 0;
};
Halves halves_of(Residue residue) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kLowBits) - 1;
  return {static_cast<std::int32_t>(residue.value() & kMask),
          static_cast<std::int32_t>(residue.value() >> kLowBits)};
}
Residue join(std::int64_t low, std::int64_t high) {
  return Residue::of(low) + Residue::of(high) * Residue::reduced(std::uint64_t{1} << kLowBits);
}

struct Reading {
  std::uint32_t any_bad = 0;
  std::uint32_t largest_bits = 0;  // of the magnitudes in units, which order as floats do
};

// Sets bad to 1 where an element is not an integer within the limit.
ASSAY_SIMD_BODY void integers_body(const float* values, Index count, float inverse_unit,
                                   float limit, std::int32_t* out, std::uint32_t* bad,
                                   Reading& reading) {
  Reading found = reading;
  for (Index i = 0; i < count; ++i) {
    const float scaled = values[i] * inverse_unit;
    const float magnitude = std::abs(scaled);
    const float safe = magnitude <= limit ? scaled : 0.0F;
    out[i] = static_cast<std::int32_t>(safe);
    // What the unit makes vanish is not an integer either.
    const auto vanished =
        static_cast<std::uint32_t>(scaled == 0.0F) & static_cast<std::uint32_t>(values[i] != 0.0F);
    bad[i] = static_cast<std::uint32_t>(static_cast<float>(out[i]) != scaled) | vanished;
    found.any_bad |= bad[i];
    const auto bits = std::bit_cast<std::uint32_t>(magnitude);
    found.largest_bits = found.largest_bits < bits ? bits : found.largest_bits;
  }
  reading = found;
}
ASSAY_SIMD_FUNCTION(to_integers, integers_body,
                    (const float* values, Index count, float inverse_unit, float limit,
                     std::int32_t* out, std::uint32_t* bad, Reading& reading),
                    (values, count, inverse_unit, limit, out, bad, reading))

struct Sums {
  std::int64_t low = 0, high = 0;
};
ASSAY_SIMD_BODY void dot_body(const std::int32_t* values, const std::int32_t* low,
                              const std::int32_t* high, Index count, Sums& sums) {
  Sums total;
  for (Index i = 0; i < count; ++i) {
    total.low += std::int64_t{values[i]} * low[i];
    total.high += std::int64_t{values[i]} * high[i];
  }
  sums = total;
}
ASSAY_SIMD_FUNCTION(dot_halves, dot_body,
                    (const std::int32_t* values, const std::int32_t* low, const std::int32_t* high,
                     Index count, Sums& sums),
                    (values, low, high, count, sums))

ASSAY_SIMD_BODY void axpy_body(const std::int32_t* values, const Halves& factor, Index count,
                               std::int64_t* low, std::int64_t* high) {
  for (Index i = 0; i < count; ++i) {
    low[i] += std::int64_t{values[i]} * factor.low;
    high[i] += std::int64_t{values[i]} * factor.high;
  }
}
ASSAY_SIMD_FUNCTION(axpy_halves, axpy_body,
                    (const std::int32_t* values, const Halves& factor, Index count,
                     std::int64_t* low, std::int64_t* high),
                    (values, factor, count, low, high))

// As many terms of the given limit as a 64-bit sum holds.
Index safe_terms(const IntegerForm& form) {
  return std::max<Index>((Index{1} << (62 - kLowBits)) / std::max(form.limit, 1), 1);
}

// Reads pieces of lines and keeps account of what they hold.
class Reader {
 public:
  Reader(const Matrix& matrix, const IntegerForm& form)
      : matrix_(matrix),
        inverse_unit_(std::ldexp(1.0F, -form.unit)),
        limit_(static_cast<float>(form.limit)) {}

  // Count elements from (row, col) on, along the row.
  void read_row(Index row, Index col, Index count) {
    read_elements({matrix_.format, matrix_.address(row, col), matrix_.col_stride, count}, values_);
    convert(matrix_.scales, row, col, count);
  }
  // Or along the column.
  void read_column(Index row, Index col, Index count) {
    read_elements({matrix_.format, matrix_.address(row, col), matrix_.row_stride, count}, values_);
    convert(matrix_.scales.transposed(), col, row, count);
  }
  const std::int32_t* integers() const { return integers_; }
  const std::uint32_t* bad() const { return bad_; }
  bool any_bad() const { return reading_.any_bad != 0; }
  double largest() const { return std::bit_cast<float>(reading_.largest_bits); }

 private:
  void convert(const ScaleGrid& scales, Index line, Index first, Index count) {
    if (scales.present()) {
      for_each_scale(scales, line, first, count, [&](Index at, Index run, double scale) {
        for (Index i = at; i < at + run; ++i) { values_[i] = exact_product(values_[i], scale); }
      });
    }
    reading_.any_bad = 0;
    to_integers(values_, count, inverse_unit_, limit_, integers_, bad_, reading_);
  }
  // NaN, which is no integer, where a float does not hold it.
  static float exact_product(float code, double scale) {
    const double exact = double{code} * scale;
    const auto rounded = static_cast<float>(exact);
    return double{rounded} == exact ? rounded : std::numeric_limits<float>::quiet_NaN();
  }

  const Matrix& matrix_;
  float inverse_unit_, limit_;
  Reading reading_;
  alignas(64) float values_[kElementChunk];
  alignas(64) std::int32_t integers_[kElementChunk];
  alignas(64) std::uint32_t bad_[kElementChunk];
};

void multiply_by_rows(const Matrix& matrix, Index terms, std::span<const Residue> vector,
                      Reader& reader, IntegerProduct& product) {
  std::vector<std::int32_t> low(matrix.cols), high(matrix.cols);
  for (Index col = 0; col < matrix.cols; ++col) {
    low[col] = halves_of(vector[col]).low;
    high[col] = halves_of(vector[col]).high;
  }
  const Index step = std::min(kElementChunk, terms);
  for (Index row = 0; row < matrix.rows; ++row) {
    Residue total;
    for (Index col = 0; col < matrix.cols; col += step) {
      const Index count = std::min(step, matrix.cols - col);
      reader.read_row(row, col, count);
      if (reader.any_bad()) { product.bad_rows[row] = 1; }
      Sums sums;
      dot_halves(reader.integers(), low.data() + col, high.data() + col, count, sums);
      total = total + join(sums.low, sums.high);
    }
    product.values[row] = total;
  }
}

// For matrices whose columns are contiguous: some rows at a time, their sums in the cache.
void multiply_by_columns(const Matrix& matrix, Index terms, std::span<const Residue> vector,
                         Reader& reader, IntegerProduct& product) {
  std::vector<std::int64_t> low(kElementChunk), high(kElementChunk);
  for (Index row = 0; row < matrix.rows; row += kElementChunk) {
    const Index count = std::min(kElementChunk, matrix.rows - row);
    for (Index first = 0; first < matrix.cols; first += terms) {
      std::fill(low.begin(), low.end(), 0);
      std::fill(high.begin(), high.end(), 0);
      for (Index col = first; col < std::min(first + terms, matrix.cols); ++col) {
        reader.read_column(row, col, count);
        for (Index i = 0; i < count && reader.any_bad(); ++i) {
          if (reader.bad()[i] != 0) { product.bad_rows[row + i] = 1; }
        }
        axpy_halves(reader.integers(), halves_of(vector[col]), count, low.data(), high.data());
      }
      for (Index i = 0; i < count; ++i) {
        product.values[row + i] = product.values[row + i] + join(low[i], high[i]);
      }
    }
  }
}

}  // namespace

IntegerProduct multiply_modulo(const Matrix& matrix, const IntegerForm& form,
                               std::span<const Residue> vector) {
  ASSAY_REQUIRE(form.limit <= 1 << 30 && std::abs(form.unit) <= 126, form.limit, form.unit);
  ASSAY_REQUIRE(static_cast<Index>(vector.size()) == matrix.cols, vector.size(), matrix.cols);
  IntegerProduct product;
  product.values.resize(matrix.rows);
  product.bad_rows.assign(matrix.rows, 0);
  Reader reader(matrix, form);
  if (matrix.col_stride == 1 || matrix.row_stride != 1) {
    multiply_by_rows(matrix, safe_terms(form), vector, reader, product);
  } else {
    multiply_by_columns(matrix, safe_terms(form), vector, reader, product);
  }
  product.any_bad = std::any_of(product.bad_rows.begin(), product.bad_rows.end(),
                                [](std::uint8_t bad) { return bad != 0; });
  product.largest = reader.largest();
  return product;
}

}  // namespace assay::oracle
