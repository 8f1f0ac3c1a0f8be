#include "oracle/fingerprint/fingerprint.h"

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
constexpr const char* kNoIntegers = "operands are not small integers times a common power of two";
constexpr const char* kNoPower = "the scale of the output is not a power of two";
constexpr const char* kTooLarge = "sums of products are beyond the range of the identity";
constexpr const char* kBeyondFormat =
    "an exact result is beyond the range that the format holds exactly";
constexpr const char* kOtherSums = "sums from another memory are not those of the elements here";

const Matrix& matrix_of(const Product& product, Factor factor) {
  switch (factor) {
    case Factor::kA:
      return product.a;
    case Factor::kB:
      return product.b;
    case Factor::kC:
      return product.c;
    case Factor::kGot:
      break;
  }
  return product.got;
}

bool few_rows_agree(const Matrix& matrix, const IntegerForm& form, std::span<const Residue> vector,
                    const IntegerProduct& sums, std::mt19937_64& random) {
  constexpr int kRowsAddedHere = 4;
  if (static_cast<Index>(sums.values.size()) != matrix.rows ||
      static_cast<Index>(sums.bad_rows.size()) != matrix.rows) {
    return false;
  }
  for (int i = 0; i < kRowsAddedHere && matrix.rows > 0; ++i) {
    const auto row = static_cast<Index>(random() % matrix.rows);
    Matrix line = matrix;
    line.data = matrix.address(row, 0);
    line.rows = 1;
    line.row_stride = 0;  // read along the row, whatever its stride
    const IntegerProduct here = multiply_modulo(line, form, vector);
    if (here.any_bad != (sums.bad_rows[row] != 0)) { return false; }
    if (!here.any_bad && here.values[0] != sums.values[row]) { return false; }
  }
  return true;
}

// Multiplies the matrices of one product with vectors.
class Multiplier {
 public:
  Multiplier(const Product& product, Index index, const FingerprintOptions& options)
      : product_(product), index_(index), options_(options), random_(options.seed + index) {}

  Result<IntegerProduct> multiply(Factor factor, const IntegerForm& form,
                                  std::span<const Residue> vector) {
    const Matrix& matrix = matrix_of(product_, factor);
    // Scales do not lie beside operands on a device: those are multiplied here.
    if (!options_.multiply || matrix.scales.present()) {
      return multiply_modulo(matrix, form, vector);
    }
    auto sums = options_.multiply(index_, factor, form, vector);
    if (sums && !few_rows_agree(matrix, form, vector, *sums, random_)) {
      return make_error(kOtherSums);
    }
    return sums;
  }

 private:
  const Product& product_;
  Index index_;
  const FingerprintOptions& options_;
  std::mt19937_64 random_;
};

// A matrix times a vector, and the unit that makes its elements integers.
struct Scaled {
  int unit = OperandRange::kAllZero;
  double largest = 0;  // in units
  std::vector<Residue> values;
};

int sampled_unit(const Matrix& matrix) {
  Matrix sample = matrix;
  (matrix.col_stride == 1 ? sample.rows : sample.cols) =
      std::min(kSampledLines, matrix.col_stride == 1 ? matrix.rows : matrix.cols);
  return fast_range_of(sample, Conversion::kNone).quantum_exponent;
}

Result<Scaled> multiply(const Matrix& matrix, Factor factor, std::span<const Residue> vector,
                        Multiplier& multiplier) {
  const int guess = sampled_unit(matrix);
  if (std::abs(guess) <= kLargestUnit) {
    auto sums = multiplier.multiply(factor, {guess, 1 << kGuessedBits}, vector);
    ASSAY_TRY(sums);
    // All are multiples of the sample's unit, so it is that of the whole matrix.
    if (!sums->any_bad) { return Scaled{guess, sums->largest, std::move(sums->values)}; }
  }
  const OperandRange range = fast_range_of(matrix, Conversion::kNone);
  if (!range.finite) { return make_error(kNotFinite); }
  if (range.largest == 0) { return Scaled{.values = std::vector<Residue>(matrix.rows)}; }
  const int unit = range.quantum_exponent;
  const double largest = std::ldexp(range.largest, -unit);
  const bool fits = largest <= std::ldexp(1.0, kOperandBits);
  if (!fits || std::abs(unit) > kLargestUnit) { return make_error(kNoIntegers); }
  auto sums = multiplier.multiply(factor, {unit, static_cast<std::int32_t>(largest)}, vector);
  ASSAY_TRY(sums);
  return Scaled{unit, largest, std::move(sums->values)};
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
    while (value >= kPrime) { value = generator() >> 3; }
    entry = Residue::reduced(value);
  }
  return vector;
}

struct ProductResult {
  int a_unit = 0, b_unit = 0;
  IntegerForm got{};        // outputs, and the unit of the identity
  std::int64_t factor = 0;  // of a b in that unit: times, and the units' quotient
  Index wrong_rows = 0, first_wrong_row = -1;
};

Result<ProductResult> check_product(const Product& product, Index index,
                                    const FingerprintOptions& options) {
  require_consistent(product);
  Multiplier multiplier(product, index, options);
  const std::vector<Residue> r = draw_vector(product.b.cols, options.seed, index);
  const auto b = multiply(product.b, Factor::kB, r, multiplier);
  ASSAY_TRY(b);
  const auto a = multiply(product.a, Factor::kA, b->values, multiplier);
  ASSAY_TRY(a);
  Result<Scaled> c = Scaled{.values = std::vector<Residue>(product.a.rows)};
  if (product.c.data != nullptr) { c = multiply(product.c, Factor::kC, r, multiplier); }
  ASSAY_TRY(c);

  const bool no_products = a->largest == 0 || b->largest == 0;
  int unit = no_products ? OperandRange::kAllZero : a->unit + b->unit;
  unit = std::min(unit, c->unit);
  if (unit == OperandRange::kAllZero) { unit = 0; }
  ProductResult result{.a_unit = a->unit, .b_unit = b->unit};
  const std::optional<int> scale = product.out_exponent();
  if (!scale) { return make_error(kNoPower); }
  result.got = {unit + *scale, std::int32_t{1} << shape(product.got.format).significand_bits};
  const double factor = no_products ? 0 : std::ldexp(product.times, a->unit + b->unit - unit);
  const double c_largest = c->largest == 0 ? 0 : std::ldexp(c->largest, c->unit - unit);
  const double sum = factor * static_cast<double>(product.a.cols) * a->largest * b->largest;
  if (!(sum + c_largest <= std::ldexp(1.0, kSumBits)) || std::abs(unit) > kLargestUnit ||
      !(c_largest <= std::ldexp(1.0, kOperandBits))) {
    return make_error(kTooLarge);
  }
  result.factor = static_cast<std::int64_t>(factor);
  const auto y = multiplier.multiply(Factor::kGot, result.got, r);
  ASSAY_TRY(y);
  const Residue times = Residue::of(result.factor);
  const Residue c_unit = Residue::of(c_largest == 0 ? 0 : std::int64_t{1} << (c->unit - unit));
  for (Index row = 0; row < product.a.rows; ++row) {
    const Residue expected = c_unit * c->values[row] + times * a->values[row];
    if (y->bad_rows[row] == 0 && y->values[row] == expected) { continue; }
    if (result.wrong_rows++ == 0) { result.first_wrong_row = row; }
  }
  return result;
}

// Recomputes a row that failed, in integers. False: none of its elements is wrong.
bool name_wrong_element(const Product& product, const ProductResult& units,
                        FingerprintResult& result) {
  __extension__ using Wide = __int128;
  const auto integer = [](const Matrix& matrix, int unit, Index row, Index col) {
    const double value = element_value(matrix, row, col, Conversion::kNone);
    return static_cast<std::int64_t>(std::ldexp(value, -unit));
  };
  for (Index col = 0; col < product.got.cols; ++col) {
    Wide sum = 0;
    for (Index k = 0; k < product.a.cols && units.factor != 0; ++k) {
      sum += static_cast<Wide>(integer(product.a, units.a_unit, result.row, k)) *
             integer(product.b, units.b_unit, k, col);
    }
    sum *= units.factor;
    if (product.c.data != nullptr) { sum += integer(product.c, units.got.unit, result.row, col); }
    const double exact = std::ldexp(static_cast<double>(sum), units.got.unit);
    const double got = to_double(product.got.format, product.got.bits(result.row, col));
    const bool beyond = sum > units.got.limit || sum < -units.got.limit;
    if (!beyond && got == exact) { continue; }
    result.col = col;
    result.got = got;
    result.exact = exact;
    result.named = true;
    if (beyond) { result.reason = kBeyondFormat; }
    return true;
  }
  return false;
}

}  // namespace

FingerprintResult check_fingerprint(std::span<const Product> products,
                                    const FingerprintOptions& options) {
  const DefaultFloatEnvironment environment;
  const auto count = static_cast<Index>(products.size());
  Index elements = 0;
  for (const Product& product : products) {
    elements += product.a.rows * product.a.cols + product.b.rows * product.b.cols +
                product.got.rows * product.got.cols;
  }
  const int threads = options.multiply ? 1 : worthwhile_threads(elements, options.threads);
  std::vector<Result<ProductResult>> results(count);
  parallel_for(count, threads, [&](int, Index index) {
    results[index] = check_product(products[index], index, options);
  });
  FingerprintResult total;
  for (Index index = count - 1; index >= 0; --index) {
    const Result<ProductResult>& result = results[index];
    if (!result) {
      total.reason = result.error().message;
      continue;
    }
    total.rows_checked += products[index].got.rows;
    total.wrong_rows += result->wrong_rows;
    if (result->wrong_rows == 0) { continue; }
    total.product = index;
    total.row = result->first_wrong_row;
  }
  if (total.reason.empty() && total.wrong_rows > 0 &&
      !name_wrong_element(products[total.product], *results[total.product], total)) {
    ASSAY_REQUIRE(options.multiply, total.product, total.row);
    total.reason = kOtherSums;
  }
  total.held = total.wrong_rows == 0 && total.reason.empty();
  return total;
}

}  // namespace assay::oracle
