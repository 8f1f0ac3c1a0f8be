#include "src/kernels/baselines/dense_product.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include <cblas.h>

#include "src/core/require.h"
#include "src/kernels/element_codec.h"

namespace assay {
namespace {

std::mutex& blas_setting() {
  static std::mutex mutex;
  return mutex;
}

bool rows_are_contiguous(const ElementMatrix& matrix) {
  return !is_packed(matrix.format) &&
         (matrix.bytes.col_stride == element_bytes(matrix.format) || matrix.bytes.cols == 1);
}

blasint blas_size(Index size) {
  ASSAY_REQUIRE(size >= 0 && size <= std::numeric_limits<blasint>::max(), size);
  return static_cast<blasint>(size);
}

// Rows of `source` are contiguous; the copy has `cols` floats a row.
void widen_rows(const ElementMatrix& source, Index cols, float* to) {
  const Index valid = source.bytes.cols;
  for (Index row = 0; row < source.bytes.rows; ++row) {
    if (rows_are_contiguous(source)) {
      widen_run(source.format, source.address(row, 0), valid, to + row * cols);
    } else {
      for (Index col = 0; col < valid; ++col) { to[row * cols + col] = source.at(row, col); }
    }
    std::fill(to + row * cols + valid, to + (row + 1) * cols, 0.0f);
  }
}

void narrow_rows(const float* from, Index cols, const ElementMatrix& target) {
  for (Index row = 0; row < target.bytes.rows; ++row) {
    if (rows_are_contiguous(target)) {
      narrow_run(target.format, from + row * cols, target.bytes.cols, target.address(row, 0));
    } else {
      for (Index col = 0; col < target.bytes.cols; ++col) {
        narrow(target.format, from[row * cols + col], target.address(row, col));
      }
    }
  }
}

}  // namespace

void shape_as(const ElementMatrix& target, Index rows, Index cols, DenseMatrix& copy) {
  ASSAY_REQUIRE(rows >= target.bytes.rows && cols >= target.bytes.cols, rows, cols);
  copy.rows = rows;
  copy.cols = cols;
  copy.by_columns = !rows_are_contiguous(target) && rows_are_contiguous(target.transposed());
  copy.values.resize(static_cast<std::size_t>(rows * cols));
}

void widen_into(const ElementMatrix& source, Index rows, Index cols, DenseMatrix& copy) {
  shape_as(source, rows, cols, copy);
  const ElementMatrix lines = copy.by_columns ? source.transposed() : source;
  const Index width = copy.by_columns ? rows : cols;
  widen_rows(lines, width, copy.values.data());
  std::fill(copy.values.begin() + lines.bytes.rows * width, copy.values.end(), 0.0f);
}

void multiply_scales(const ElementMatrix& source, const ScaleMatrix& scales, DenseMatrix& copy) {
  if (!scales.present()) { return; }
  for (Index row = 0; row < source.bytes.rows; ++row) {
    for (Index col = 0; col < source.bytes.cols; ++col) {
      copy.at(row, col) *= scales.at(row, col);
      copy.at(row, col) *= scales.tensor_scale;  // the product before it is exact
    }
  }
}

void narrow_from(const DenseMatrix& copy, const ElementMatrix& target) {
  narrow_rows(copy.values.data(), copy.by_columns ? copy.rows : copy.cols,
              copy.by_columns ? target.transposed() : target);
}

void multiply(const DenseMatrix& a, const DenseMatrix& b, bool accumulates, DenseMatrix& out) {
  ASSAY_REQUIRE(a.rows == out.rows && a.cols == b.rows && b.cols == out.cols, a.rows, a.cols,
                b.rows, b.cols);
  if (out.rows == 0 || out.cols == 0 || a.cols == 0) {
    if (!accumulates) { std::fill(out.values.begin(), out.values.end(), 0.0f); }
    return;
  }
  const auto transpose = [&](const DenseMatrix& operand) {
    return operand.by_columns == out.by_columns ? CblasNoTrans : CblasTrans;
  };
  const auto pitch = [](const DenseMatrix& matrix) {
    return blas_size(matrix.by_columns ? matrix.rows : matrix.cols);
  };
  cblas_sgemm(out.by_columns ? CblasColMajor : CblasRowMajor, transpose(a), transpose(b),
              blas_size(out.rows), blas_size(out.cols), blas_size(a.cols), 1.0f, a.values.data(),
              pitch(a), b.values.data(), pitch(b), accumulates ? 1.0f : 0.0f, out.values.data(),
              pitch(out));
}

void run_dense(const GroupProduct& product, Index m, Index depth, bool accumulates,
               DenseBuffers& buffers) {
  if (product.m() == 0 || product.n() == 0 || (accumulates && product.depth() == 0)) {
    return;  // nothing is owned, or C is kept as it is
  }
  widen_into(product.a, m, depth, buffers.a);
  widen_into(product.b, depth, product.n(), buffers.b);
  multiply_scales(product.a, product.a_scales, buffers.a);
  multiply_scales(product.b, product.b_scales, buffers.b);
  if (accumulates) {
    widen_into(product.out, m, product.n(), buffers.out);
  } else {
    shape_as(product.out, m, product.n(), buffers.out);
  }
  multiply(buffers.a, buffers.b, accumulates, buffers.out);
  for (Index col = 0; product.out.bias.present() && col < product.n(); ++col) {
    const float bias = product.out.bias.at(col);
    for (Index row = 0; row < product.m(); ++row) { buffers.out.at(row, col) += bias; }
  }
  if (product.out.scale != 1) {
    for (float& sum : buffers.out.values) { sum *= product.out.scale; }
  }
  narrow_from(buffers.out, product.out);
}

BlasThreads::BlasThreads(int threads) {
  if (threads > 0) {
    blas_setting().lock();
    before_ = openblas_get_num_threads();
    openblas_set_num_threads(threads);
  }
}

BlasThreads::~BlasThreads() {
  if (before_ > 0) {
    openblas_set_num_threads(before_);
    blas_setting().unlock();
  }
}

}  // namespace assay
