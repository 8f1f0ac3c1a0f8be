// Fingerprint: Freivalds' identity Y r = A (B r) modulo 2^61 - 1, for exact cases whose outputs the
// output format holds exactly. Verifies a case of production size in O(mk + kn + mn); misses a
// wrong row with probability 2^-61.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "oracle/product.h"

namespace assay::oracle {

struct FingerprintResult {
  bool held = false;
  Index rows_checked = 0;
  Index wrong_rows = 0;
  bool named = false;  // the first wrong element was recomputed exactly
  Index product = 0, row = 0, col = 0;
  double got = 0, exact = 0;
  std::string
      reason;  // why the identity cannot judge this case (not integers, beyond the exact range)
};

struct FingerprintOptions {
  std::uint64_t seed = 0;  // drawn after the kernel has returned, never the case's seed
  int threads = 1;
};

// Requires: operands hold integers times a power of two common to each matrix (else `reason` says
// so, held = false). Each output is first checked to be a finite integer within the range that the
// format holds exactly.
FingerprintResult check_fingerprint(std::span<const Product> products,
                                    const FingerprintOptions& options);

}  // namespace assay::oracle
