// Operands as a kernel multiplies them: after the conversion that it declares, exactly.
#pragma once

#include <cstdint>
#include <limits>

#include "oracle/model/arithmetic.h"
#include "oracle/product.h"

namespace assay::oracle {

// The format that holds a converted operand: its subnormals are the ones that the kernel meets.
Format converted_format(Format format, Conversion conversion);
// Source: PTX ISA, cvt.rna.tf32.f32 (half away from zero) and the truncation that mma applies to
// .tf32 operands; bf16 to nearest even. A NaN stays one.
Decoded decode_operand(Format format, std::uint32_t bits, Conversion conversion);
// The same as a float; every format fits.
float operand_value(Format format, std::uint32_t bits, Conversion conversion);

// Element (row, col) of an operand, its scale included: exact, as 32 bits hold a code of 8 bits
// times a scale of 24, and 36 a scale of 4 and a tensor's, too. Zero times infinity is NaN.
// Requires: an 8-bit format where there are scales.
Decoded element_at(const Matrix& matrix, Index row, Index col, Conversion conversion);
double element_value(const Matrix& matrix, Index row, Index col, Conversion conversion);

// Of the finite magnitudes; 1 without scales.
struct ScaleRange {
  double largest = 1;  // of a block
  double tensor = 1;
  friend bool operator==(const ScaleRange&, const ScaleRange&) = default;
};

// What one pass over a matrix tells about its converted elements.
struct OperandRange {
  double largest = 0;  // of the finite magnitudes
  ScaleRange scales{};
  bool subnormal = false;  // some code is one of converted_format
  bool finite = true;      // all are
  // Every finite element is a multiple of 2^quantum_exponent, the largest such power.
  int quantum_exponent = kAllZero;
  static constexpr int kAllZero = std::numeric_limits<int>::max() / 4;
};
OperandRange range_of(const Matrix& matrix, Conversion conversion);
ScaleRange scale_range_of(const Matrix& matrix);

}  // namespace assay::oracle
