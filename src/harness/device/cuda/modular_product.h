// ModularProduct: oracle::multiply_modulo of matrices in device memory.
#pragma once

#include <cstdint>
#include <span>

#include <cuda_runtime.h>

#include "oracle/integer_lines.h"

namespace assay {

struct RowSum;

class ModularProduct {
 public:
  ModularProduct() = default;
  ~ModularProduct();
  ModularProduct(const ModularProduct&) = delete;
  ModularProduct& operator=(const ModularProduct&) = delete;

  // Waits for the stream. Requires: a stride of the matrix is 1.
  cudaError_t multiply(cudaStream_t stream, const oracle::Matrix& matrix,
                       const oracle::IntegerForm& form, std::span<const oracle::Residue> vector,
                       oracle::IntegerProduct& product);

 private:
  cudaError_t reserve(const oracle::Matrix& matrix);

  // On the device.
  std::uint64_t* vector_ = nullptr;
  RowSum* sums_ = nullptr;
  Index most_cols_ = 0, most_rows_ = 0;
};

}  // namespace assay
