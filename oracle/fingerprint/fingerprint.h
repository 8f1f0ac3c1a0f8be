// Fingerprint: Freivalds' identity Y r = C r + times * A (B r) modulo 2^61 - 1, for exact cases
// whose outputs the output format holds exactly. Verifies a case of production size in
// O(mk + kn + mn); misses a wrong row with probability 2^-61. Source: Freivalds 1977.
//
// The identity is about values: +0 in place of -0 is no difference.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "oracle/integer_lines.h"
#include "oracle/product.h"
#include "src/core/error.h"

namespace assay::oracle {

struct FingerprintResult {
  bool held = false;
  Index rows_checked = 0;
  Index wrong_rows = 0;
  bool named = false;  // the first wrong element was recomputed exactly
  Index product = 0, row = 0, col = 0;
  double got = 0, exact = 0;
  std::string reason;  // why the identity cannot judge this case
};

enum class Factor : std::uint8_t { kA, kB, kC, kGot };

// Multiplies a matrix of products[product] with a vector, as multiply_modulo does, in another
// memory that holds the same elements.
using MultiplyFactor = std::function<Result<IntegerProduct>(
    Index product, Factor factor, const IntegerForm& form, std::span<const Residue> vector)>;

struct FingerprintOptions {
  std::uint64_t seed = 0;  // drawn after the kernel has returned, never the case's seed
  int threads = 1;
  // Empty: multiply_modulo itself. Called by one thread. Its sums are not believed: a few rows of
  // each product, drawn from the seed, are added up here too, and a difference is a `reason`.
  MultiplyFactor multiply{};
};

// Requires: operands hold integers times a power of two common to each matrix, below 2^30, with
// sums below 2^60 (else `reason` says so, held = false). Each output is first checked to be a
// finite integer, in the unit of the products, within the range that its format holds exactly:
// 2^8 for bf16, 2^11 for fp16, 2^24 for fp32. An exact result beyond that range is a `reason` too.
FingerprintResult check_fingerprint(std::span<const Product> products,
                                    const FingerprintOptions& options);

}  // namespace assay::oracle
