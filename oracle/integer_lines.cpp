#include "oracle/integer_lines.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "oracle/simd.h"
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

// Sets bad to 1 where an element is no integer within the limit.
ASSAY_SIMD_BODY void integers_body(const float* values, Index count, float inverse_unit,
                                   float limit, std::int32_t* out, std::uint32_t* bad) {
  for (Index i = 0; i < count; ++i) {
    const float scaled = values[i] * inverse_unit;
    // What the unit makes vanish is no integer.
    const bool within = std::abs(scaled) <= limit && (scaled == 0) == (values[i] == 0);
    out[i] = static_cast<std::int32_t>(within ? scaled : 0.0F);
    bad[i] = within && static_cast<float>(out[i]) == scaled ? 0u : 1u;
  }
}
ASSAY_SIMD_FUNCTION(to_integers, integers_body,
                    (const float* values, Index count, float inverse_unit, float limit,
                     std::int32_t* out, std::uint32_t* bad),
                    (values, count, inverse_unit, limit, out, bad))

ASSAY_SIMD_BODY void any_body(const std::uint32_t* flags, Index count, std::uint32_t& any) {
  std::uint32_t found = 0;
  for (Index i = 0; i < count; ++i) found |= flags[i];
  any = found;
}
ASSAY_SIMD_FUNCTION(any_set, any_body,
                    (const std::uint32_t* flags, Index count, std::uint32_t& any),
                    (flags, count, any))

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

struct Reader {
  const Matrix& matrix;
  const IntegerForm& form;
  float inverse_unit;
  float limit;
  alignas(64) float values[kElementChunk];
  alignas(64) std::int32_t integers[kElementChunk];
  alignas(64) std::uint32_t bad[kElementChunk];

  Reader(const Matrix& source, const IntegerForm& integer_form)
      : matrix(source),
        form(integer_form),
        inverse_unit(std::ldexp(1.0F, -integer_form.unit)),
        limit(static_cast<float>(integer_form.limit)) {}

  // Count elements from (row, col) along a line; true when some of them are bad.
  bool read(Index row, Index col, Index stride, Index count) {
    read_elements({matrix.format, matrix.address(row, col), stride, count}, values);
    to_integers(values, count, inverse_unit, limit, integers, bad);
    std::uint32_t any = 0;
    any_set(bad, count, any);
    return any != 0;
  }
};

void multiply_by_rows(const Matrix& matrix, const IntegerForm& form,
                      std::span<const Residue> vector, std::span<Residue> product,
                      std::span<std::uint8_t> bad_rows) {
  std::vector<std::int32_t> low(matrix.cols), high(matrix.cols);
  for (Index col = 0; col < matrix.cols; ++col) {
    low[col] = halves_of(vector[col]).low;
    high[col] = halves_of(vector[col]).high;
  }
  Reader reader(matrix, form);
  const Index step = std::min(kElementChunk, safe_terms(form));
  for (Index row = 0; row < matrix.rows; ++row) {
    Residue total;
    for (Index col = 0; col < matrix.cols; col += step) {
      const Index count = std::min(step, matrix.cols - col);
      if (reader.read(row, col, matrix.col_stride, count)) bad_rows[row] = 1;
      Sums sums;
      dot_halves(reader.integers, low.data() + col, high.data() + col, count, sums);
      total = total + join(sums.low, sums.high);
    }
    product[row] = total;
  }
}

// For matrices whose columns are contiguous: some rows at a time, their sums in the cache.
void multiply_by_columns(const Matrix& matrix, const IntegerForm& form,
                         std::span<const Residue> vector, std::span<Residue> product,
                         std::span<std::uint8_t> bad_rows) {
  Reader reader(matrix, form);
  const Index terms = safe_terms(form);
  std::vector<std::int64_t> low(kElementChunk), high(kElementChunk);
  for (Index row = 0; row < matrix.rows; row += kElementChunk) {
    const Index count = std::min(kElementChunk, matrix.rows - row);
    const std::span<Residue> totals = product.subspan(row, count);
    std::fill(totals.begin(), totals.end(), Residue());
    for (Index first = 0; first < matrix.cols; first += terms) {
      std::fill(low.begin(), low.end(), 0);
      std::fill(high.begin(), high.end(), 0);
      for (Index col = first; col < std::min(first + terms, matrix.cols); ++col) {
        if (reader.read(row, col, matrix.row_stride, count)) {
          for (Index i = 0; i < count; ++i) {
            if (reader.bad[i] != 0) bad_rows[row + i] = 1;
          }
        }
        axpy_halves(reader.integers, halves_of(vector[col]), count, low.data(), high.data());
      }
      for (Index i = 0; i < count; ++i) totals[i] = totals[i] + join(low[i], high[i]);
    }
  }
}

}  // namespace

void multiply_modulo(const Matrix& matrix, const IntegerForm& form, std::span<const Residue> vector,
                     std::span<Residue> product, std::span<std::uint8_t> bad_rows) {
  ASSAY_REQUIRE(form.limit <= 1 << 30 && std::abs(form.unit) <= 126, form.limit, form.unit);
  if (matrix.col_stride == 1 || matrix.row_stride != 1) {
    multiply_by_rows(matrix, form, vector, product, bad_rows);
  } else {
    multiply_by_columns(matrix, form, vector, product, bad_rows);
  }
}

}  // namespace assay::oracle
