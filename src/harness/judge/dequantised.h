// Kernels that multiply codes by their scales first, and then in 16 bits: what their products are
// made of.
#pragma once

#include <optional>
#include <vector>

#include "oracle/product.h"
#include "src/contract/manifest.h"
#include "src/problem/problem.h"

namespace assay {

// The case with each scaled operand in the format that it is declared to be rounded to before the
// product, and without scales. Nothing where no such format is declared, or no operand has scales.
std::optional<Problem> dequantised(const Problem& problem, const DeclaredArithmetic& arithmetic);

// The same, or the case as it is: the oracle judges a kernel by what it multiplies. Requires: the
// case outlives it.
class MultipliedCase {
 public:
  MultipliedCase(const Problem& problem, const DeclaredArithmetic& arithmetic)
      : plain_(dequantised(problem, arithmetic)), problem_(&problem) {}
  const Problem& operator*() const { return plain_ ? *plain_ : *problem_; }
  const Problem* operator->() const { return &**this; }

 private:
  std::optional<Problem> plain_;
  const Problem* problem_;
};

// The same of a product whose operands have other codes or scales than the case.
class MultipliedProduct {
 public:
  MultipliedProduct(const oracle::Product& product, const DeclaredArithmetic& arithmetic);
  const oracle::Product& operator*() const { return product_; }

 private:
  oracle::Product product_;
  std::vector<std::byte> a_, b_;
};

}  // namespace assay
