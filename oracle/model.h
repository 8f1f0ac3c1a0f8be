// Bit-level model of a declared arithmetic: predicts the output bits of a kernel on real-valued
// data. Source: step model of NVIDIA matrix instructions (Fasi et al. 2021; MMA-Sim, arXiv
// 2511.10909); see arithmetic.h.
#pragma once

#include <cstdint>
#include <span>

#include "oracle/arithmetic.h"
#include "oracle/product.h"

namespace assay::oracle {

// Requires: arithmetic.ascending and kind kFp32 or kStep. Writes got-format elements row-major into
// out. A non-finite operand or intermediate yields the format's NaN or infinity as IEEE 754 orders
// it; NaN payloads are not predicted (compare any NaN with any NaN).
void predict(const Product& product, const Arithmetic& arithmetic, void* out, int threads = 1);

struct BitComparison {
  Index elements = 0;
  Index different = 0;                  // +0 and -0 differ; any NaN equals any NaN
  Index product = 0, row = 0, col = 0;  // the first difference
  std::uint32_t got_bits = 0, model_bits = 0;
};
BitComparison compare_with_model(std::span<const Product> products, const Arithmetic& arithmetic,
                                 int threads = 1);

}  // namespace assay::oracle
