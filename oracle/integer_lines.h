// Lines of elements as small integers, and their products with vectors modulo 2^61 - 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/element_lines.h"
#include "oracle/modular.h"
#include "oracle/product.h"

namespace assay::oracle {

// Elements are read as integers times 2^unit; more than `limit` in magnitude is refused.
struct IntegerForm {
  int unit = 0;
  std::int32_t limit = 0;  // at most 2^30
};

// matrix * vector modulo p, on integers in the given form. A row with an element that is no such
// integer is set in bad_rows (as long as the matrix has rows), and its product means nothing.
void multiply_modulo(const Matrix& matrix, const IntegerForm& form, std::span<const Residue> vector,
                     std::span<Residue> product, std::span<std::uint8_t> bad_rows);

}  // namespace assay::oracle
