#include "oracle/fast/enclosure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/element_lines.h"
#include "oracle/fast/blas.h"

namespace assay::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kDepth = 4096;  // k of one BLAS call
constexpr Index kScratchBytes = Index{200} << 20;
constexpr Index kLongestFp32Sum = Index{1} << 20;

double sum_limit(int quantum_exponent) {
  if (quantum_exponent >= OperandRange::kAllZero) { return kInfinity; }
  return std::ldexp(1.0, quantum_exponent + 53);
}

}  // namespace

bool EnclosureTerms::is_special(const Product& product, Index row, Index col) const {
  if (a_rows.any(row) || b_cols.any(col)) { return true; }
  return !c.finite &&
         decode(product.c.format, product.c.bits(row, col)).kind != Decoded::Class::kFinite;
}

bool EnclosureTerms::meets_flushed(Index row, Index col) const {
  return (a_rows.any(row) || b_cols.any(col)) && infinity_meets_flushed(a_rows, row, b_cols, col);
}

EnclosureTerms enclosure_terms(const Product& product, Conversion conversion,
                               const Flushing& flushing) {
  EnclosureTerms terms;
  terms.conversion = conversion;
  terms.a = fast_range_of(product.a, conversion);
  terms.b = fast_range_of(product.b, conversion);
  if (product.c.data != nullptr) { terms.c = fast_range_of(product.c, Conversion::kNone); }
  // A conversion may make an infinity of a finite operand, so the converted elements decide.
  if (!terms.a.finite || !terms.b.finite) {
    terms.a_rows = SpecialLines(product.a, conversion, flushing);
    terms.b_cols = SpecialLines(product.b.transposed(), conversion, flushing);
  }

  const auto k = static_cast<double>(product.a.cols);
  const double largest_product = terms.a.largest * terms.b.largest;
  constexpr double kUpwards = 1 + 0x1p-48;
  const double factor = product.out_factor();
  terms.largest_gauge = (product.times * k * largest_product * factor + terms.c.largest) * kUpwards;
  const int product_quantum =
      std::min(terms.a.quantum_exponent + terms.b.quantum_exponent, OperandRange::kAllZero);
  terms.exact_up_to = sum_limit(std::min(product_quantum, terms.c.quantum_exponent));
  terms.exact_up_to *= product.out_exponent() ? factor : 0;
  terms.exact = terms.largest_gauge <= terms.exact_up_to;
  const bool scaled = product.is_scaled();
  terms.error_slope = (k + (scaled ? 5 : 4)) * 0x1p-53;

  const auto fits_fp32 = [](const OperandRange& range) {
    return range.largest < 0x1p126 && range.quantum_exponent >= -126;
  };
  terms.fp32_gauge = product.a.cols <= kLongestFp32Sum && k * largest_product < 0x1p126 &&
                     product_quantum >= -126 &&
                     (!scaled || (fits_fp32(terms.a) && fits_fp32(terms.b)));
  const double unit = terms.fp32_gauge ? 0x1p-24 : 0x1p-53;
  // Four more: combining with c, and using the bounds; and the magnitudes of two scaled elements.
  const double roundings = (k + (scaled ? 11 : 8)) * unit;
  terms.gauge_down = 1 - roundings;
  terms.gauge_up = std::nextafter(1 / terms.gauge_down, 2.0);
  return terms;
}

Enclosed enclose(const EnclosureTerms& terms, double y, const double* gauge) {
  Enclosed element{.y_low = y, .y_high = y, .gauge_high = terms.largest_gauge};
  if (gauge != nullptr) {
    element.gauge_low = *gauge * terms.gauge_down;
    element.gauge_high = *gauge * terms.gauge_up;
  }
  if (element.gauge_high <= terms.exact_up_to) { return element; }
  const double error = std::nextafter(terms.error_slope * element.gauge_high, kInfinity);
  element.y_low = std::nextafter(y - error, -kInfinity);
  element.y_high = std::nextafter(y + error, kInfinity);
  return element;
}

double special_value(const Product& product, const EnclosureTerms& terms, Index row, Index col) {
  const double sum = special_sum(terms.a_rows, row, terms.b_cols, col);
  if (product.c.data == nullptr) { return sum; }
  return to_double(product.c.format, product.c.bits(row, col)) + sum;
}

Block BlockMaker::make(const Product& product, const EnclosureTerms& terms, bool with_gauge,
                       const Extent& extent) {
  const Index count = extent.rows * extent.cols;
  if (static_cast<Index>(y_.size()) < count) { y_.resize(count); }
  if (with_gauge && static_cast<Index>(gauge_.size()) < count) { gauge_.resize(count); }
  if (product.a.cols == 0) {
    std::fill_n(y_.begin(), count, 0.0);
    if (with_gauge) { std::fill_n(gauge_.begin(), count, 0.0); }
  } else {
    multiply(product, terms, with_gauge, extent);
  }
  if (product.out_scale) {
    const double factor = product.out_factor();
    std::for_each_n(y_.begin(), count, [=](double& y) { y *= factor; });
    if (with_gauge) {
      std::for_each_n(gauge_.begin(), count, [=](double& gauge) { gauge *= factor; });
    }
  }
  if (product.c.data != nullptr || product.times != 1) { add_initial(product, with_gauge, extent); }
  return {extent, y_.data(), with_gauge ? gauge_.data() : nullptr};
}

void BlockMaker::multiply(const Product& product, const EnclosureTerms& terms, bool with_gauge,
                          const Extent& extent) {
  const Index count = extent.rows * extent.cols, k = product.a.cols;
  const bool fp32_gauge = with_gauge && terms.fp32_gauge;
  if (fp32_gauge && static_cast<Index>(gauge32_.size()) < count) { gauge32_.resize(count); }
  const Magnitudes magnitudes = !with_gauge  ? Magnitudes::kNone
                                : fp32_gauge ? Magnitudes::kFp32
                                             : Magnitudes::kFp64;
  for (Index first = 0; first < k; first += kDepth) {
    const Index depth = std::min(kDepth, k - first);
    a_.load(product.a, {extent.first_row, extent.rows, first, depth}, terms.conversion, magnitudes);
    const Extent b_extent{first, depth, extent.first_col, extent.cols};
    if (b_product_ != &product || !(b_extent == b_extent_) || b_with_gauge_ != with_gauge) {
      b_.load(product.b, b_extent, terms.conversion, magnitudes);
      b_product_ = &product;
      b_extent_ = b_extent;
      b_with_gauge_ = with_gauge;
    }
    const GemmShape shape{extent.rows, extent.cols, depth, first > 0};
    multiply_values(a_, b_, shape, y_.data());
    if (fp32_gauge) {
      multiply_magnitudes(a_, b_, shape, gauge32_.data());
    } else if (with_gauge) {
      multiply_magnitudes(a_, b_, shape, gauge_.data());
    }
  }
  if (fp32_gauge) { std::copy_n(gauge32_.begin(), count, gauge_.begin()); }
}

void BlockMaker::add_initial(const Product& product, bool with_gauge, const Extent& extent) {
  const double times = product.times;
  initial_.assign(extent.cols, 0.0);
  initial_magnitude_.assign(extent.cols, 0.0);
  for (Index row = 0; row < extent.rows; ++row) {
    if (product.c.data != nullptr) {
      decode_line({product.c.format, product.c.address(extent.first_row + row, extent.first_col),
                   product.c.col_stride, extent.cols},
                  Conversion::kNone,
                  {.values = initial_.data(), .magnitudes64 = initial_magnitude_.data()});
    }
    double* y = y_.data() + row * extent.cols;
    for (Index col = 0; col < extent.cols; ++col) { y[col] = times * y[col] + initial_[col]; }
    if (!with_gauge) { continue; }
    double* gauge = gauge_.data() + row * extent.cols;
    for (Index col = 0; col < extent.cols; ++col) {
      gauge[col] = times * gauge[col] + initial_magnitude_[col];
    }
  }
}

BlockSize block_size(int threads) {
  constexpr Index kBytes = sizeof(double) + sizeof(float);  // a value and its magnitude
  const Index lines = kScratchBytes / std::max(threads, 1) / (kBytes * kDepth);
  const Index rows = std::clamp<Index>(lines / 3, 16, 256);
  return {rows, std::clamp<Index>(lines - rows, 64, 512) / 64 * 64};
}

}  // namespace assay::oracle
