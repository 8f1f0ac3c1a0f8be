// The perfect kernel's output: the enclosure rounds what it decides, the exact oracle the rest.
#include <algorithm>
#include <cmath>

#include "oracle/enclosure.h"
#include "oracle/exact.h"
#include "oracle/float_environment.h"
#include "oracle/judge.h"

namespace assay::oracle {
namespace {

std::uint32_t rounded_bits(const Product& product, const EnclosureTerms& terms, Index row,
                           Index col, const Enclosed& element) {
  const Format format = product.got.format;
  if (terms.any_special() && terms.is_special(product, row, col)) {
    return round_nearest(format, special_value(product, terms, row, col));
  }
  const Place low = round_to_line(format, element.y_low);
  if (low == round_to_line(format, element.y_high) &&
      std::signbit(element.y_low) == std::signbit(element.y_high)) {
    return round_nearest(format, element.y_low);
  }
  const ExactValue exact = exact_element(product, Conversion::kNone, row, col);
  return bits_at(format, round_to_line(format, exact.value), exact.value < 0);
}

}  // namespace

void exact_result(const Product& product, void* out) {
  const DefaultFloatEnvironment environment;
  const EnclosureTerms terms = enclosure_terms(product, Conversion::kNone);
  const Format format = product.got.format;
  const Index rows = product.a.rows, cols = product.b.cols;
  const Index size_bytes = shape(format).size_bytes;
  const BlockSize step = block_size(1);
  BlockMaker maker;
  for (Index first_col = 0; first_col < cols; first_col += step.cols) {
    for (Index first_row = 0; first_row < rows; first_row += step.rows) {
      const Block block = maker.make(product, terms, !terms.exact,
                                     {first_row, std::min(step.rows, rows - first_row), first_col,
                                      std::min(step.cols, cols - first_col)});
      Index i = 0;
      for (Index row = first_row; row < first_row + block.extent.rows; ++row) {
        for (Index col = first_col; col < first_col + block.extent.cols; ++col, ++i) {
          const double* gauge = block.gauge == nullptr ? nullptr : block.gauge + i;
          store(format, static_cast<char*>(out) + (row * cols + col) * size_bytes,
                rounded_bits(product, terms, row, col, enclose(terms, block.y[i], gauge)));
        }
      }
    }
  }
}

}  // namespace assay::oracle
