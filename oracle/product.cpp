#include "oracle/product.h"

#include <cmath>

#include "src/core/require.h"

namespace assay::oracle {
namespace {

bool has_shape(const Matrix& matrix, Index rows, Index cols) {
  return matrix.rows == rows && matrix.cols == cols;
}

}  // namespace

std::optional<int> Product::out_exponent() const {
  int exponent = 0;
  const bool is_power = std::frexp(out_factor(), &exponent) == 0.5;
  return is_power ? std::optional(exponent - 1) : std::nullopt;
}

bool is_out_scale(double scale) { return scale >= 0x1p-30 && scale < 0x1p31; }

void require_consistent(const Product& product) {
  const Index m = product.a.rows, k = product.a.cols, n = product.b.cols;
  ASSAY_REQUIRE(m >= 0 && k >= 0 && n >= 0 && product.times >= 1, m, k, n, product.times);
  ASSAY_REQUIRE(has_shape(product.b, k, n), product.b.rows, k);
  ASSAY_REQUIRE(product.got.data == nullptr || has_shape(product.got, m, n), m, n);
  ASSAY_REQUIRE(product.c.data == nullptr || has_shape(product.c, m, n), m, n);
  ASSAY_REQUIRE(is_out_scale(product.out_factor()), product.out_factor());
  ASSAY_REQUIRE(product.previous.data == nullptr || has_shape(product.previous, m, n), m, n);
}

}  // namespace assay::oracle
