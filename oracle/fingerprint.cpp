#include "oracle/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "oracle/float_environment.h"
#include "oracle/integer_lines.h"
#include "src/core/parallel.h"
#include "src/core/require.h"

namespace assay::oracle {
namespace {

constexpr int kOperandBits = 30;
constexpr int kSumBits = 60;
constexpr int kLargestUnit = 100;
// Operands are first tried as integers up to this, in a unit guessed from a few of them: a pass
// over the weights costs more than all else.
constexpr int kGuessedBits = 22;
constexpr Index kSampledLines = 4;

constexpr const char* kNotFinite = "an operand is not finite";
constexpr const char* kNoIntegers = "operands are no small integers times a common power of two";
constexpr const char* kTooLarge = "sums of products are beyond the range of the identity";
constexpr const char* kBeyondFormat =
    "an exact result is beyond the range that the format holds exactly";

// A matrix times a vector, and the unit that makes its elements integers.
struct Factor {
  int unit = 0;
  double largest = 0;  // in units
  std::vector<Residue> values;
  const char* reason = nullptr;
};

int sampled_unit(const Matrix& matrix) {
  Matrix sample = matrix;
  (matrix.col_stride == 1 ? sample.rows : sample.cols) =
      std::min(kSampledLines, matrix.col_stride == 1 ? matrix.rows : matrix.cols);
  return fast_range_of(sample, Conversion::kNone).quantum_exponent;
}

Factor multiply(const Matrix& matrix, std::span<const Residue> vector) {
  Factor factor;
  const int guess = sampled_unit(matrix);
  if (std::abs(guess) <= kLargestUnit) {
    IntegerProduct product = multiply_modulo(matrix, {guess, 1 << kGuessedBits}, vector);
    // All are multiples of the sample's unit, so it is that of the whole matrix.
    if (!product.any_bad) return {guess, product.largest, std::move(product.values)};
  }
  const OperandRange range = fast_range_of(matrix, Conversion::kNone);
  factor.values.resize(matrix.rows);
  if (!range.finite) {
    factor.reason = kNotFinite;
  } else if (range.largest != 0) {
    factor.unit = range.quantum_exponent;
    factor.largest = std::ldexp(range.largest, -range.quantum_exponent);
    const bool fits = factor.largest <= std::ldexp(1.0, kOperandBits);
    if (!fits || std::abs(factor.unit) > kLargestUnit) {
      factor.reason = kNoIntegers;
    } else {
      const auto limit = static_cast<std::int32_t>(factor.largest);
      factor.values = multiply_modulo(matrix, {factor.unit, limit}, vector).values;
    }
  }
  return factor;
}

// Uniform in [0, p), one stream a product.
std::vector<Residue> draw_vector(Index length, std::uint64_t seed, Index product) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(product),
                      static_cast<std::uint32_t>(product >> 32)};
  std::mt19937_64 generator(words);
  std::vector<Residue> vector(length);
  for (Residue& entry : vector) {
    std::uint64_t value = generator() >> 3;
    while (value >= kPrime) value = generator() >> 3;
    entry = Residue::reduced(value);
  }
  return vector;
}

struct ProductResult {
  int a_unit = 0, b_unit = 0;
  IntegerForm got{};        // outputs, and the unit of the identity
  std::int64_t factor = 0;  // of a b in that unit: times, and the units' quotient
  Index wrong_rows = 0, first_wrong_row = -1;
  const char* reason = nullptr;
};

ProductResult check_product(const Product& product, std::uint64_t seed, Index index) {
  require_consistent(product);
  const std::vector<Residue> r = draw_vector(product.b.cols, seed, index);
  const Factor b = multiply(product.b, r);
  const Factor a = multiply(product.a, b.values);
  OperandRange c;
  if (product.c.data != nullptr) c = fast_range_of(product.c, Conversion::kNone);
  ProductResult result{.a_unit = a.unit, .b_unit = b.unit};
  result.reason = a.reason != nullptr ? a.reason : b.reason;
  if (!c.finite) result.reason = kNotFinite;
  if (result.reason != nullptr) return result;

  const bool no_products = a.largest == 0 || b.largest == 0;
  int unit = no_products ? OperandRange::kAllZero : a.unit + b.unit;
  unit = std::min(unit, c.quantum_exponent);
  if (unit == OperandRange::kAllZero) unit = 0;
  result.got = {unit, std::int32_t{1} << shape(product.got.format).significand_bits};
  const double factor = no_products ? 0 : std::ldexp(product.times, a.unit + b.unit - unit);
  const double c_largest = std::ldexp(c.largest, -unit);
  const double sum = factor * static_cast<double>(product.a.cols) * a.largest * b.largest;
  if (!(sum + c_largest <= std::ldexp(1.0, kSumBits)) || std::abs(unit) > kLargestUnit ||
      !(c_largest <= std::ldexp(1.0, kOperandBits))) {
    result.reason = kTooLarge;
    return result;
  }
  result.factor = static_cast<std::int64_t>(factor);
  const IntegerProduct y = multiply_modulo(product.got, result.got, r);
  std::vector<Residue> cr(product.a.rows);
  if (product.c.data != nullptr) {
    cr = multiply_modulo(product.c, {unit, std::int32_t{1} << kOperandBits}, r).values;
  }
  const Residue times = Residue::of(result.factor);
  for (Index row = 0; row < product.a.rows; ++row) {
    if (y.bad_rows[row] == 0 && y.values[row] == cr[row] + times * a.values[row]) continue;
    if (result.wrong_rows++ == 0) result.first_wrong_row = row;
  }
  return result;
}

// Recomputes a row that failed, in integers.
void name_wrong_element(const Product& product, const ProductResult& units,
                        FingerprintResult& result) {
  __extension__ using Wide = __int128;
  const auto integer = [](const Matrix& matrix, int unit, Index row, Index col) {
    const double value = to_double(matrix.format, matrix.bits(row, col));
    return static_cast<std::int64_t>(std::ldexp(value, -unit));
  };
  for (Index col = 0; col < product.got.cols; ++col) {
    Wide sum = 0;
    for (Index k = 0; k < product.a.cols && units.factor != 0; ++k) {
      sum += static_cast<Wide>(integer(product.a, units.a_unit, result.row, k)) *
             integer(product.b, units.b_unit, k, col);
    }
    sum *= units.factor;
    if (product.c.data != nullptr) sum += integer(product.c, units.got.unit, result.row, col);
    const double exact = std::ldexp(static_cast<double>(sum), units.got.unit);
    const double got = to_double(product.got.format, product.got.bits(result.row, col));
    const bool beyond = sum > units.got.limit || sum < -units.got.limit;
    if (!beyond && got == exact) continue;
    result.col = col;
    result.got = got;
    result.exact = exact;
    result.named = true;
    if (beyond) result.reason = kBeyondFormat;
    return;
  }
  ASSAY_REQUIRE(false, result.product, result.row);
}

}  // namespace

FingerprintResult check_fingerprint(std::span<const Product> products,
                                    const FingerprintOptions& options) {
  const DefaultFloatEnvironment environment;
  const auto count = static_cast<Index>(products.size());
  std::vector<ProductResult> results(count);
  Index elements = 0;
  for (const Product& product : products) {
    elements += product.a.rows * product.a.cols + product.b.rows * product.b.cols +
                product.got.rows * product.got.cols;
  }
  parallel_for(count, worthwhile_threads(elements, options.threads), [&](int, Index index) {
    results[index] = check_product(products[index], options.seed, index);
  });
  FingerprintResult total;
  for (Index index = count - 1; index >= 0; --index) {
    const ProductResult& result = results[index];
    if (result.reason != nullptr) {
      total.reason = result.reason;
      continue;
    }
    total.rows_checked += products[index].got.rows;
    total.wrong_rows += result.wrong_rows;
    if (result.wrong_rows == 0) continue;
    total.product = index;
    total.row = result.first_wrong_row;
  }
  if (total.reason.empty() && total.wrong_rows > 0) {
    name_wrong_element(products[total.product], results[total.product], total);
  }
  total.held = total.wrong_rows == 0 && total.reason.empty();
  return total;
}

}  // namespace assay::oracle
