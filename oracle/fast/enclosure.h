// Blocks of one product in fp64, with a proved enclosure of the exact values.
//
// Proof. An operand without scales is a float, so a product of two is exact in fp64 (48 bits,
// exponents within 2^-298 .. 2^256: nothing underflows or overflows). A scaled element is a double
// of 28 bits, and a product of two (56 bits, within 2^-330 .. 2^288) is rounded once, which counts
// as one more term below. cblas_dgemm with alpha = beta = 1 adds k exact
// products in some order, so |y' - ab| <= (k - 1) 2^-53 sum |a||b| (Jeannerod and Rump 2013, any
// order, fused or not; a conventional product is assumed, which OpenBLAS computes). times * y' + c
// adds two roundings and the scale of the output one, each below 2^-53 S (1 + k 2^-53): hence
// |y' - y| <= (k + 4) 2^-53 S.
// The gauge S is the product of the magnitudes, in fp32 where the range allows (no term below
// 2^-126, no sum above 2^126, k <= 2^20) and in fp64 otherwise. Its terms are positive and each
// meets at most k + 4 roundings of unit u: S (1 - u)^(k+4) <= S' <= S (1 + u)^(k+4).
// Exact sums: where every term is a multiple of 2^q and S <= 2^(q + 53), every partial sum is a
// multiple of 2^q of at most 53 bits, so y' = y; a scale that is a power of two changes q alone.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/fast/panel.h"
#include "oracle/product.h"
#include "oracle/special_lines.h"

namespace assay::oracle {

// What holds for every element of a product.
struct EnclosureTerms {
  Conversion conversion = Conversion::kNone;
  OperandRange a, b, c;
  bool exact = false;  // y' = y everywhere
  bool fp32_gauge = false;
  double exact_up_to = 0;    // y' = y where S is at most this
  double error_slope = 0;    // |y' - y| <= error_slope * (upper bound of S)
  double gauge_down = 1;     // S >= S' * gauge_down
  double gauge_up = 1;       // S <= S' * gauge_up
  double largest_gauge = 0;  // of all elements, at most

  // Of a's rows and b's columns, once one of the two is not finite; operands that are NaN or
  // infinite count as zero in y' and S'.
  SpecialLines a_rows, b_cols;

  bool is_special(const Product& product, Index row, Index col) const;
  // Whether an infinity of this row or column meets an operand that may be flushed to zero.
  bool meets_flushed(Index row, Index col) const;
  bool any_special() const { return !a.finite || !b.finite || !c.finite; }
};
EnclosureTerms enclosure_terms(const Product& product, Conversion conversion,
                               const Flushing& flushing = {});

// One element: y in [y_low, y_high], S in [gauge_low, gauge_high].
struct Enclosed {
  double y_low = 0, y_high = 0;
  double gauge_low = 0, gauge_high = 0;
};
// From y' and S' (null where it was not computed).
Enclosed enclose(const EnclosureTerms& terms, double y, const double* gauge);
// The value of a special element, NaN or infinite.
double special_value(const Product& product, const EnclosureTerms& terms, Index row, Index col);

// y' and S' of some rows and columns, row-major without gaps.
struct Block {
  Extent extent;
  const double* y = nullptr;
  const double* gauge = nullptr;  // only when asked for
};

// Computes blocks, best strip by strip of columns and row block by row block; keeps its memory.
class BlockMaker {
 public:
  // Valid until the next call.
  Block make(const Product& product, const EnclosureTerms& terms, bool with_gauge,
             const Extent& extent);

 private:
  void multiply(const Product& product, const EnclosureTerms& terms, bool with_gauge,
                const Extent& extent);
  void add_initial(const Product& product, bool with_gauge, const Extent& extent);

  Panel a_, b_;
  const Product* b_product_ = nullptr;  // what b_ holds
  Extent b_extent_;
  bool b_with_gauge_ = false;
  std::vector<double> y_, gauge_, initial_, initial_magnitude_;
  std::vector<float> gauge32_;
};

// Block sizes that keep the scratch of all workers within about 200 MB.
struct BlockSize {
  Index rows = 0, cols = 0;
};
BlockSize block_size(int threads);

}  // namespace assay::oracle
