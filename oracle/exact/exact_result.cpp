// The perfect kernel's output: the enclosure rounds what it decides, the exact oracle the rest.
#include <algorithm>
#include <cmath>
#include <vector>

#include "oracle/exact/exact.h"
#include "oracle/fast/enclosure.h"
#include "oracle/fast/screen.h"
#include "oracle/float_environment.h"
#include "oracle/judge.h"

namespace assay::oracle {
namespace {

Rule plain_rule(Format format) {
  Rule rule;
  rule.format = format;
  return rule;
}

class Rounder {
 public:
  Rounder(const Product& product, void* out)
      : product_(product),
        out_(static_cast<char*>(out)),
        terms_(enclosure_terms(product, Conversion::kNone)),
        screen_(screen_rule(plain_rule(product.got.format), terms_)) {}

  void round_all() {
    const Index rows = product_.a.rows, cols = product_.b.cols;
    const BlockSize step = block_size(1);
    BlockMaker maker;
    zeros_.assign(step.cols, 0.0);
    pad_.resize(step.cols);
    rounded_.resize(step.cols);
    bits_.resize(step.cols);
    for (Index col = 0; col < cols; col += step.cols) {
      for (Index row = 0; row < rows; row += step.rows) {
        const Extent extent{row, std::min(step.rows, rows - row), col,
                            std::min(step.cols, cols - col)};
        const Block block = maker.make(product_, terms_, !terms_.exact, extent);
        for (Index i = 0; i < extent.rows; ++i) {
          const Index start = i * extent.cols;
          const double* gauge = block.gauge == nullptr ? zeros_.data() : block.gauge + start;
          round_row(row + i, extent, block.y + start, gauge);
        }
      }
    }
  }

 private:
  void round_row(Index row, const Extent& extent, const double* y, const double* gauge) {
    screen_pad(screen_, y, gauge, extent.cols, pad_.data());
    screen_rounding(screen_, y, pad_.data(), extent.cols, 1, rounded_.data());
    screen_bits(screen_, rounded_.data(), extent.cols, bits_.data());
    const Format format = product_.got.format;
    const Index size_bytes = shape(format).size_bytes;
    char* target = out_ + (row * product_.b.cols + extent.first_col) * size_bytes;
    for (Index i = 0; i < extent.cols; ++i) {
      // NaN is undecided, and so is the sign of a zero that is not exact.
      const bool decided = rounded_[i] != 0 ? rounded_[i] == rounded_[i] : pad_[i] == 0;
      const Index col = extent.first_col + i;
      const bool special = terms_.any_special() && terms_.is_special(product_, row, col);
      if (!decided || special) { bits_[i] = exact_bits(row, col, special); }
      store(format, target + i * size_bytes, bits_[i]);
    }
  }

  std::uint32_t exact_bits(Index row, Index col, bool special) const {
    const Format format = product_.got.format;
    if (special) { return round_nearest(format, special_value(product_, terms_, row, col)); }
    const ExactValue exact = exact_element(product_, Conversion::kNone, row, col);
    return bits_at(format, round_to_line(format, exact.value), exact.value < 0);
  }

  const Product& product_;
  char* out_;
  EnclosureTerms terms_;
  ScreenRule screen_;
  std::vector<double> zeros_, pad_, rounded_;
  std::vector<std::uint32_t> bits_;
};

}  // namespace

void exact_result(const Product& product, void* out) {
  require_consistent(product);
  const DefaultFloatEnvironment environment;
  Rounder(product, out).round_all();
}

}  // namespace assay::oracle
