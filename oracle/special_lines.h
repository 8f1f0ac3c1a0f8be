// SpecialLines: which operands of a matrix's rows are NaN, infinite, zero or negative, a bit each,
// so that what becomes of a sum of products is found 64 products at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/operand.h"

namespace assay::oracle {

class SpecialLines {
 public:
  SpecialLines() = default;  // nothing is special
  SpecialLines(const Matrix& matrix, Conversion conversion, const Flushing& flushing = {});

  // Whether some operand of the row is NaN or infinite.
  bool any(Index row) const { return !special_.empty() && special_[row] != 0; }

 private:
  struct Word {
    std::uint64_t nan = 0, infinite = 0, zero = 0, negative = 0, flushed = 0;
  };
  friend bool infinity_meets_flushed(const SpecialLines& a, Index row, const SpecialLines& b,
                                     Index col);
  friend double special_sum(const SpecialLines& a, Index row, const SpecialLines& b, Index col);

  Index words_each_ = 0;  // of a row
  std::vector<Word> words_;
  std::vector<std::uint8_t> special_;
};

// The sum of products of a's row and b's, in IEEE arithmetic that no finite sum leaves: NaN, an
// infinity, or 0 for every finite one. Requires: rows of one length.
double special_sum(const SpecialLines& a, Index row, const SpecialLines& b, Index col);
// Whether some product is an infinity times a subnormal that may be read as zero.
bool infinity_meets_flushed(const SpecialLines& a, Index row, const SpecialLines& b, Index col);

}  // namespace assay::oracle
