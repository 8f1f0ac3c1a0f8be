#include "oracle/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "oracle/float_environment.h"
#include "oracle/integer_lines.h"
#include "oracle/parallel.h"
#include "src/core/require.h"

namespace assay::oracle {
namespace {

constexpr int kOperandBits = 30;
constexpr int kSumBits = 60;
constexpr int kLargestUnit = 100;

// How one product becomes an identity of integers.
struct Units {
  IntegerForm a, b, c, got;
  std::int64_t factor = 1;  // times, and the unit of a b in that of the output
  std::string reason;
};

// Integers times 2^unit that reach `largest`.
IntegerForm form_of(const OperandRange& range) {
  if (range.largest == 0) return {0, 0};
  const double largest = std::ldexp(range.largest, -range.quantum_exponent);
  const bool fits = largest <= std::ldexp(1.0, kOperandBits);
  return {range.quantum_exponent, fits ? static_cast<std::int32_t>(largest) : -1};
}

Units units_of(const Product& product) {
  Units units;
  const OperandRange a = fast_range_of(product.a, Conversion::kNone);
  const OperandRange b = fast_range_of(product.b, Conversion::kNone);
  OperandRange c;
  if (product.c.data != nullptr) c = fast_range_of(product.c, Conversion::kNone);
  units.a = form_of(a);
  units.b = form_of(b);
  units.c = form_of(c);
  if (!a.finite || !b.finite || !c.finite) {
    units.reason = "an operand is not finite";
  } else if (units.a.limit < 0 || units.b.limit < 0 || units.c.limit < 0) {
    units.reason = "operands are no small integers times a common power of two";
  }
  const bool no_products = a.largest == 0 || b.largest == 0;
  const int product_unit = units.a.unit + units.b.unit;
  int unit = no_products ? units.c.unit : product_unit;
  if (c.largest != 0) unit = std::min(unit, units.c.unit);
  units.got = {unit, std::int32_t{1} << shape(product.got.format).significand_bits};
  // In the output's unit: c, and the sum of all magnitudes.
  const double scale = no_products ? 0 : std::ldexp(product.times, product_unit - unit);
  const double sum = scale * static_cast<double>(product.a.cols) * units.a.limit * units.b.limit +
                     std::ldexp(c.largest, -unit);
  units.c.limit = std::int32_t{1} << kOperandBits;
  units.c.unit = unit;
  if (!units.reason.empty()) return units;
  if (!(sum <= std::ldexp(1.0, kSumBits)) || !(std::ldexp(c.largest, -unit) <= units.c.limit) ||
      std::abs(units.a.unit) > kLargestUnit || std::abs(units.b.unit) > kLargestUnit ||
      std::abs(unit) > kLargestUnit) {
    units.reason = "sums of products are beyond the range of the identity";
  }
  units.factor = static_cast<std::int64_t>(scale);
  return units;
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
  Index wrong_rows = 0, first_wrong_row = -1;
  std::string reason;
};

ProductResult check_product(const Product& product, const Units& units, std::uint64_t seed,
                            Index index) {
  const Index m = product.got.rows, n = product.got.cols, k = product.a.cols;
  const std::vector<Residue> r = draw_vector(n, seed, index);
  std::vector<Residue> br(k), abr(m), cr(m), yr(m);
  std::vector<std::uint8_t> bad_b(k, 0), bad(m, 0), ignored(m, 0);
  multiply_modulo(product.b, units.b, r, br, bad_b);
  multiply_modulo(product.a, units.a, br, abr, ignored);
  if (product.c.data != nullptr) multiply_modulo(product.c, units.c, r, cr, ignored);
  const auto set = [](std::uint8_t flag) { return flag != 0; };
  ASSAY_REQUIRE(std::none_of(bad_b.begin(), bad_b.end(), set) &&
                    std::none_of(ignored.begin(), ignored.end(), set),
                index);
  multiply_modulo(product.got, units.got, r, yr, bad);
  const Residue factor = Residue::of(units.factor);
  ProductResult result;
  for (Index row = 0; row < m; ++row) {
    if (bad[row] == 0 && yr[row] == cr[row] + factor * abr[row]) continue;
    if (result.wrong_rows++ == 0) result.first_wrong_row = row;
  }
  return result;
}

// Recomputes a row that failed, in integers.
void name_wrong_element(const Product& product, const Units& units, FingerprintResult& result) {
  __extension__ using Wide = __int128;
  const auto integer = [](const Matrix& matrix, const IntegerForm& form, Index row, Index col) {
    const double value = to_double(matrix.format, matrix.bits(row, col));
    return static_cast<std::int64_t>(std::ldexp(value, -form.unit));
  };
  for (Index col = 0; col < product.got.cols; ++col) {
    Wide sum = 0;
    for (Index k = 0; k < product.a.cols; ++k) {
      sum += static_cast<Wide>(integer(product.a, units.a, result.row, k)) *
             integer(product.b, units.b, k, col);
    }
    sum *= units.factor;
    if (product.c.data != nullptr) sum += integer(product.c, units.c, result.row, col);
    const double exact = std::ldexp(static_cast<double>(sum), units.got.unit);
    const double got = to_double(product.got.format, product.got.bits(result.row, col));
    const bool beyond = sum > units.got.limit || sum < -units.got.limit;
    if (!beyond && got == exact) continue;
    result.col = col;
    result.got = got;
    result.exact = exact;
    result.named = true;
    if (beyond) result.reason = "an exact result is beyond the range that the format holds exactly";
    return;
  }
  ASSAY_REQUIRE(false, result.product, result.row);
}

}  // namespace

FingerprintResult check_fingerprint(std::span<const Product> products,
                                    const FingerprintOptions& options) {
  const DefaultFloatEnvironment environment;
  const auto count = static_cast<Index>(products.size());
  std::vector<Units> units(count);
  std::vector<ProductResult> results(count);
  Index elements = 0;
  for (const Product& product : products) {
    elements += product.a.rows * product.a.cols + product.b.rows * product.b.cols +
                product.got.rows * product.got.cols;
  }
  parallel_for(count, worthwhile_threads(elements, options.threads), [&](int, Index index) {
    units[index] = units_of(products[index]);
    if (!units[index].reason.empty()) return;
    results[index] = check_product(products[index], units[index], options.seed, index);
  });
  FingerprintResult total;
  for (Index index = count - 1; index >= 0; --index) {
    if (!units[index].reason.empty()) {
      total.reason = units[index].reason;
      continue;
    }
    total.rows_checked += products[index].got.rows;
    total.wrong_rows += results[index].wrong_rows;
    if (results[index].wrong_rows == 0) continue;
    total.product = index;
    total.row = results[index].first_wrong_row;
  }
  if (total.reason.empty() && total.wrong_rows > 0) {
    name_wrong_element(products[total.product], units[total.product], total);
  }
  total.held = total.wrong_rows == 0 && total.reason.empty();
  return total;
}

}  // namespace assay::oracle
