// OperandPlan: which bytes of an operand are owned rows, padding rows, tail rows and stride gaps.
#pragma once

#include <cstdint>
#include <vector>

#include "src/core/error.h"
#include "src/problem/problem.h"

namespace assay {

// Neighbouring rows of one kind.
struct RowBlock {
  enum class Kind : std::uint8_t { kReal, kPadding, kTail };
  Kind kind = Kind::kReal;
  Index expert = -1;    // whose rows they are or follow; -1 for tail rows
  Index first_row = 0;  // of the expert's rows; tail: of the operand's
  Index rows = 0;
  Index byte = 0;       // of the first row, from the operand's first byte
  Index dense_row = 0;  // real: row of the dense operand; else row among all that are not real
};

struct OperandPlan {
  Format format = Format::kBf16;
  Index row_bytes = 0;     // elements of a row, without the gap
  Index pitch_bytes = 0;   // from row to row
  Index extent_bytes = 0;  // all rows with their gaps, tail rows and the last pitch included
  Index rows_not_real = 0;
  std::vector<RowBlock> blocks;  // ascending, none empty

  Index element_bytes() const { return row_bytes * (rows_real + rows_not_real); }
  Index rows_real = 0;
};

// Rows after the last expert are its padding up to a multiple of row_multiple, tail rows from
// there.
// Errors: an operand whose bytes a 64-bit offset does not count.
Result<OperandPlan> plan_operand(const Problem& problem, Role role, Index row_multiple = 1);

}  // namespace assay
