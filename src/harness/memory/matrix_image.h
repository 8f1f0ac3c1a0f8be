// MatrixImage: what the region of one operand holds before a call, as a pure function of problem,
// placement and poison; written before the call, compared whole after it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "src/contract/manifest.h"
#include "src/harness/memory/operand_plan.h"
#include "src/harness/memory/page_range.h"
#include "src/harness/memory/poison.h"
#include "src/harness/memory/shared_memory.h"
#include "src/harness/process/fault_set.h"

namespace assay {

struct MatrixImage {
  OperandPlan plan;
  std::string_view operand;  // x, w, y
  const Region* region = nullptr;
  Index begin = 0;  // of the operand, in the region
  // Sparse operands only (sparse_image.h): the pages that have memory.
  bool sparse = false;
  std::vector<PageRange> row_pages;
  const PoisonPattern* poison = nullptr;
  const PoisonPattern* unwritten = nullptr;  // owned elements of an output that is overwritten
  const std::byte* dense = nullptr;          // real rows: an input, or C; null: `unwritten`
  bool output = false;
  bool keep_owned = false;                             // real rows keep what is there
  bool zero_padding = false;                           // input: padding rows are zero
  UnownedRows padding_rows = UnownedRows::kUntouched;  // output: what the contract says of them
  UnownedRows tail_rows = UnownedRows::kUntouched;

  std::byte* base() const { return region->data() + begin; }
};

void write_image(const MatrixImage& image);

// Compares every byte that is not an owned element of the output, and copies out what belongs to
// nobody's guard. `owned` (output only): real rows, dense; `not_owned` (output only): padding and
// tail rows, in order.
void inspect_image(const MatrixImage& image, FaultSet& faults, std::byte* owned,
                   std::byte* not_owned);

}  // namespace assay
