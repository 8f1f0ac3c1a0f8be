// Outputs beside the bits that the model foretells.
#include <cmath>
#include <vector>

#include "oracle/model/model.h"
#include "oracle/number_line.h"

namespace assay::oracle {
namespace {

// A zero of either sign for a result up to the smallest normal number: IEEE 754 leaves open whether
// one that rounds up to it is tiny.
bool may_be_flushed(Format format, std::uint32_t got, std::uint32_t expected) {
  const Place normal = round_to_line(format, std::ldexp(1.0, shape(format).min_exponent));
  const Point point = point_of(format, expected);
  return point_of(format, got).place == 0 && !point_of(format, got).nan && !point.nan &&
         std::abs(point.place) <= normal;
}

// Calls visit(row, col, got, expected) where the bits differ.
template <class Visit>
void for_each_difference(const Product& product, const Arithmetic& arithmetic, int threads,
                         const Visit& visit) {
  const Format format = product.got.format;
  const Index rows = product.a.rows, cols = product.b.cols;
  const Index size_bytes = shape(format).size_bytes;
  std::vector<char> model(static_cast<std::size_t>(rows * cols * size_bytes));
  predict(product, arithmetic, model.data(), threads);
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < cols; ++col) {
      const std::uint32_t got = product.got.bits(row, col);
      const std::uint32_t expected = load(format, model.data() + (row * cols + col) * size_bytes);
      const bool both_nan = point_of(format, got).nan && point_of(format, expected).nan;
      const bool flushed =
          arithmetic.subnormals.output(format) && may_be_flushed(format, got, expected);
      if (got != expected && !both_nan && !flushed) { visit(row, col, got, expected); }
    }
  }
}

}  // namespace

std::vector<std::uint8_t> different_bits(const Product& product, const Arithmetic& arithmetic) {
  std::vector<std::uint8_t> different(static_cast<std::size_t>(product.a.rows * product.b.cols), 0);
  for_each_difference(product, arithmetic, 1,
                      [&](Index row, Index col, std::uint32_t, std::uint32_t) {
                        different[static_cast<std::size_t>(row * product.b.cols + col)] = 1;
                      });
  return different;
}

BitComparison compare_with_model(std::span<const Product> products, const Arithmetic& arithmetic,
                                 int threads) {
  BitComparison result;
  for (Index index = 0; index < static_cast<Index>(products.size()); ++index) {
    const Product& product = products[index];
    result.elements += product.a.rows * product.b.cols;
    for_each_difference(product, arithmetic, threads,
                        [&](Index row, Index col, std::uint32_t got, std::uint32_t expected) {
                          if (result.different++ > 0) { return; }
                          result.product = index;
                          result.row = row;
                          result.col = col;
                          result.got_bits = got;
                          result.model_bits = expected;
                        });
  }
  return result;
}

}  // namespace assay::oracle
