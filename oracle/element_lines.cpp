#include "oracle/element_lines.h"

#include <cmath>

namespace assay::oracle {

void decode_line(const ElementLine& line, Conversion conversion, const DecodedLine& out) {
  const Index step = line.stride * shape(line.format).size_bytes;
  for (Index i = 0; i < line.count; ++i) {
    float value = operand_value(line.format, load(line.format, line.first + i * step), conversion);
    if (!std::isfinite(value)) value = 0;
    out.values[i] = value;
    if (out.magnitudes32 != nullptr) out.magnitudes32[i] = std::abs(value);
    if (out.magnitudes64 != nullptr) out.magnitudes64[i] = std::abs(value);
  }
}

OperandRange fast_range_of(const Matrix& matrix, Conversion conversion) {
  return range_of(matrix, conversion);
}

}  // namespace assay::oracle
