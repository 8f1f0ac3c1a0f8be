// Fast passes over lines of elements: decoding into floating point, and the range of a matrix.
// Equal to the plain functions of operand.h on every element.
#pragma once

#include "oracle/operand.h"

namespace assay::oracle {

struct ElementLine {
  Format format = Format::kBf16;
  const char* first = nullptr;
  Index stride = 1;  // elements
  Index count = 0;
};

struct DecodedLine {
  double* values = nullptr;
  float* magnitudes32 = nullptr;   // may be null
  double* magnitudes64 = nullptr;  // may be null
};

// Elements that are not finite become zero.
void decode_line(const ElementLine& line, Conversion conversion, const DecodedLine& out);

// At most this many elements of a line as floats; what is not finite is an infinity.
inline constexpr Index kElementChunk = 512;
void read_elements(const ElementLine& line, float* values,
                   Conversion conversion = Conversion::kNone);

// range_of, line by line.
OperandRange fast_range_of(const Matrix& matrix, Conversion conversion);

}  // namespace assay::oracle
