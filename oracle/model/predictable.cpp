// Which products the model foretells, and the runs of products whose sums scales multiply.
#include <algorithm>
#include <numeric>

#include "oracle/model/model.h"

namespace assay::oracle {

bool is_predictable(const Arithmetic& arithmetic) {
  const bool any_order = arithmetic.kind == Arithmetic::Kind::kInt32;
  return arithmetic.kind != Arithmetic::Kind::kUndeclared && (arithmetic.ascending || any_order) &&
         arithmetic.splits == 1;
}

bool is_predictable(const Arithmetic& arithmetic, const Product& product) {
  const bool integers = shape(product.a.format).integer && shape(product.b.format).integer;
  if (arithmetic.kind == Arithmetic::Kind::kInt32 && !integers) { return false; }
  if (product.out_scale && product.c.data != nullptr) { return false; }
  if (product.c_is_bias && arithmetic.bias_added == BiasAdded::kUndeclared) { return false; }
  if (!is_predictable(arithmetic) || !product.is_scaled()) { return is_predictable(arithmetic); }
  const Index length = product.a.cols;
  const auto whole = [&](const ScaleGrid& scales, Index block) {
    return !scales.present() || block >= length;
  };
  // Scales that change along the reduction are not for its end, nor are a block's and a tensor's.
  const bool of_tensors = product.a.scales.tensor_scale || product.b.scales.tensor_scale;
  const bool at_end = !of_tensors && whole(product.a.scales, product.a.scales.block_cols) &&
                      whole(product.b.scales, product.b.scales.block_rows);
  if (arithmetic.scaling == Scaling::kEnd) { return at_end; }
  if (arithmetic.kind == Arithmetic::Kind::kInt32) {
    return scales_each_sum(arithmetic.scaling) && arithmetic.ascending;
  }
  return arithmetic.scaling != Scaling::kUndeclared;
}

Index promoted_interval(const Product& product, const Arithmetic& arithmetic) {
  Index interval = arithmetic.promotion_interval;
  const Index length = product.a.cols;
  const auto stop_at = [&](const ScaleGrid& scales, Index block) {
    if (scales.present() && block < length) { interval = std::gcd(interval, block); }
  };
  stop_at(product.a.scales, product.a.scales.block_cols);
  stop_at(product.b.scales, product.b.scales.block_rows);
  return interval == 0 ? std::max<Index>(length, 1) : interval;
}

}  // namespace assay::oracle
