#include "src/harness/device/cuda/modular_product.h"

#include <algorithm>
#include <vector>

#include "src/harness/device/cuda/row_sums.cuh"

namespace assay {
namespace {

static_assert(sizeof(oracle::Residue) == sizeof(std::uint64_t));

template <class T>
cudaError_t grow(T*& buffer, Index& most, Index count) {
  if (count <= most) { return cudaSuccess; }
  (void)cudaFree(buffer);
  buffer = nullptr;
  most = 0;
  const cudaError_t error = cudaMalloc(&buffer, static_cast<std::size_t>(count) * sizeof(T));
  if (error == cudaSuccess) { most = count; }
  return error;
}

RowSumsOrder order_of(const oracle::Matrix& matrix, const oracle::IntegerForm& form) {
  const int element_bytes = oracle::shape(matrix.format).size_bytes;
  const bool by_columns = matrix.col_stride != 1;
  return {.data = static_cast<const std::byte*>(matrix.data),
          .rows = matrix.rows,
          .cols = matrix.cols,
          .pitch_bytes = (by_columns ? matrix.col_stride : matrix.row_stride) * element_bytes,
          .by_columns = by_columns,
          .element_bytes = element_bytes,
          .reading = reading_of(matrix.format, form)};
}

void read_sums(const std::vector<RowSum>& sums, oracle::IntegerProduct& product) {
  product.values.clear();
  product.bad_rows.clear();
  unsigned largest = 0;
  for (const RowSum& sum : sums) {
    product.values.push_back(oracle::Residue::reduced(join_halves(sum.low, sum.high)));
    product.bad_rows.push_back(sum.bad != 0 ? 1 : 0);
    product.any_bad |= sum.bad != 0;
    largest = std::max(largest, sum.largest);
  }
  product.largest = largest;
}

}  // namespace

ModularProduct::~ModularProduct() {
  (void)cudaFree(vector_);
  (void)cudaFree(sums_);
}

cudaError_t ModularProduct::reserve(const oracle::Matrix& matrix) {
  const cudaError_t error = grow(vector_, most_cols_, matrix.cols);
  return error == cudaSuccess ? grow(sums_, most_rows_, matrix.rows) : error;
}

cudaError_t ModularProduct::multiply(cudaStream_t stream, const oracle::Matrix& matrix,
                                     const oracle::IntegerForm& form,
                                     std::span<const oracle::Residue> vector,
                                     oracle::IntegerProduct& product) {
  if (matrix.col_stride != 1 && matrix.row_stride != 1) { return cudaErrorInvalidValue; }
  std::vector<RowSum> sums(static_cast<std::size_t>(matrix.rows));
  product.any_bad = false;
  if (matrix.rows > 0 && matrix.cols > 0) {
    const std::size_t bytes = sums.size() * sizeof(RowSum);
    cudaError_t error = reserve(matrix);
    if (error == cudaSuccess) {
      error = cudaMemcpyAsync(vector_, vector.data(), vector.size_bytes(), cudaMemcpyHostToDevice,
                              stream);
    }
    if (error == cudaSuccess) { error = cudaMemsetAsync(sums_, 0, bytes, stream); }
    RowSumsOrder order = order_of(matrix, form);
    order.vector = vector_;
    order.sums = sums_;
    if (error == cudaSuccess) { error = launch_row_sums(stream, order); }
    if (error == cudaSuccess) {
      error = cudaMemcpyAsync(sums.data(), sums_, bytes, cudaMemcpyDeviceToHost, stream);
    }
    if (error == cudaSuccess) { error = cudaStreamSynchronize(stream); }
    if (error != cudaSuccess) { return error; }
  }
  read_sums(sums, product);
  return cudaSuccess;
}

}  // namespace assay
