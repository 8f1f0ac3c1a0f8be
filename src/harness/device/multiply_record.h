// MultiplyRecord: an order to multiply a matrix of the last call, on the device where it lies, with
// a vector modulo 2^61 - 1; plain bytes.
#pragma once

#include <cstdint>
#include <span>

#include "oracle/integer_lines.h"
#include "src/core/index.h"
#include "src/harness/memory/area.h"

namespace assay {

// A matrix within an operand of a call.
struct OperandMatrix {
  Area area = Area::kX;
  std::int32_t initial = 0;  // what the output held before the calls that accumulated into it
  oracle::Format format = oracle::Format::kBf16;
  Index first = 0;  // element, from the operand's first
  Index rows = 0, cols = 0;
  Index row_stride = 0, col_stride = 1;  // elements, at least 0
};

// Why there is nothing to multiply.
inline constexpr const char* kNoOperands = "no operands lie on a device";

struct MultiplyRecord {
  OperandMatrix matrix;
  oracle::IntegerForm form;
  std::uint64_t memory = 0;  // of a MultiplyMemory, in driver and worker
};

// The vector and, after the call, what an IntegerProduct holds: one after another in shared memory.
class MultiplyMemory {
 public:
  MultiplyMemory(std::uint64_t address, const OperandMatrix& matrix)
      : first_(reinterpret_cast<oracle::Residue*>(address)), matrix_(matrix) {}
  static Index bytes_for(const OperandMatrix& matrix) {
    constexpr Index kResidueBytes = sizeof(oracle::Residue);
    return (matrix.cols + matrix.rows) * kResidueBytes + matrix.rows + Index{sizeof(double)};
  }

  std::span<oracle::Residue> vector() const { return {first_, size(matrix_.cols)}; }
  std::span<oracle::Residue> values() const { return {first_ + matrix_.cols, size(matrix_.rows)}; }
  double& largest() const { return *reinterpret_cast<double*>(values().data() + matrix_.rows); }
  std::span<std::uint8_t> bad_rows() const {
    return {reinterpret_cast<std::uint8_t*>(&largest() + 1), size(matrix_.rows)};
  }

 private:
  static std::size_t size(Index count) { return static_cast<std::size_t>(count); }
  oracle::Residue* first_;
  OperandMatrix matrix_;
};

}  // namespace assay
