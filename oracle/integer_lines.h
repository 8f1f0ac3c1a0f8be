// Lines of elements as small integers, and their products with vectors modulo 2^61 - 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/element_lines.h"
#include "oracle/fingerprint/modular.h"
#include "oracle/product.h"

namespace assay::oracle {

// Elements, their scales included, are read as integers times 2^unit; more than `limit` in
// magnitude is refused.
struct IntegerForm {
  int unit = 0;
  std::int32_t limit = 0;  // at most 2^30
};

struct IntegerProduct {
  std::vector<Residue> values;         // matrix * vector modulo p
  std::vector<std::uint8_t> bad_rows;  // 1: some element is no such integer; the value is void
  bool any_bad = false;
  double largest = 0;  // magnitude of the integers
};
IntegerProduct multiply_modulo(const Matrix& matrix, const IntegerForm& form,
                               std::span<const Residue> vector);

}  // namespace assay::oracle
