// Row sums of a matrix times a vector modulo 2^61 - 1, in one pass over the matrix.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "src/harness/device/cuda/modular_sum.h"

namespace assay {

// What blocks add to; all zero at first.
struct RowSum {
  unsigned long long low = 0, high = 0;  // halves of residues (modular_sum.h)
  unsigned bad = 0;                      // other than 0: some element is not an integer of the form
  unsigned largest = 0;                  // magnitude among this row and its neighbours
};

// `data` [rows, cols]; its elements lie side by side along a row, or by_columns along a column.
struct RowSumsOrder {
  const std::byte* data = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t pitch_bytes = 0;  // from row to row, or by_columns from column to column
  bool by_columns = false;
  int element_bytes = 0;
  IntegerReading reading;
  const std::uint64_t* vector = nullptr;  // [cols], residues
  RowSum* sums = nullptr;                 // [rows]
};

// Requires: rows and cols above 0; addresses of any alignment.
cudaError_t launch_row_sums(cudaStream_t stream, const RowSumsOrder& order);

}  // namespace assay
