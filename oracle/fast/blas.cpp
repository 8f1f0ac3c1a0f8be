#include "oracle/fast/blas.h"

#include <mutex>

#include <cblas.h>

namespace assay::oracle {
namespace {

// Below this many products a plain loop beats the packing of a BLAS call.
constexpr Index kPlainLoopProducts = 2048;

std::mutex blas_mutex;
int blas_users = 0;
int blas_threads_before = 1;

template <class T>
void plain_multiply(const Panel& a, const Panel& b, const T* a_values, const T* b_values,
                    const GemmShape& shape, T* out) {
  for (Index row = 0; row < shape.rows; ++row) {
    for (Index col = 0; col < shape.cols; ++col) {
      const T* a_line = a_values + row * a.row_step();
      const T* b_line = b_values + col * b.col_step();
      T sum = shape.add ? out[row * shape.cols + col] : T{0};
      for (Index k = 0; k < shape.depth; ++k) {
        sum += a_line[k * a.col_step()] * b_line[k * b.row_step()];
      }
      out[row * shape.cols + col] = sum;
    }
  }
}

bool is_plain(const GemmShape& shape) {
  return shape.rows * shape.cols * shape.depth <= kPlainLoopProducts;
}

CBLAS_TRANSPOSE order(const Panel& panel) { return panel.by_rows() ? CblasNoTrans : CblasTrans; }

blasint narrow(Index value) { return static_cast<blasint>(value); }

void call(const Panel& a, const Panel& b, const double* a_values, const double* b_values,
          const GemmShape& shape, double* out) {
  if (is_plain(shape)) { return plain_multiply(a, b, a_values, b_values, shape, out); }
  cblas_dgemm(CblasRowMajor, order(a), order(b), narrow(shape.rows), narrow(shape.cols),
              narrow(shape.depth), 1.0, a_values, narrow(a.line_length()), b_values,
              narrow(b.line_length()), shape.add ? 1.0 : 0.0, out, narrow(shape.cols));
}

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  const std::lock_guard lock(blas_mutex);
  if (blas_users++ == 0) { blas_threads_before = openblas_get_num_threads(); }
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const std::lock_guard lock(blas_mutex);
  if (--blas_users == 0) { openblas_set_num_threads(blas_threads_before); }
}

void SingleThreadedBlas::pin_this_thread() {
  // An OpenMP build keeps the count of the calling thread, a pthread build one for the process.
  const std::lock_guard lock(blas_mutex);
  openblas_set_num_threads(1);
}

void multiply_values(const Panel& a, const Panel& b, const GemmShape& shape, double* out) {
  call(a, b, a.values(), b.values(), shape, out);
}

void multiply_magnitudes(const Panel& a, const Panel& b, const GemmShape& shape, double* out) {
  call(a, b, a.magnitudes64(), b.magnitudes64(), shape, out);
}

void multiply_magnitudes(const Panel& a, const Panel& b, const GemmShape& shape, float* out) {
  const float* a_values = a.magnitudes32();
  const float* b_values = b.magnitudes32();
  if (is_plain(shape)) { return plain_multiply(a, b, a_values, b_values, shape, out); }
  cblas_sgemm(CblasRowMajor, order(a), order(b), narrow(shape.rows), narrow(shape.cols),
              narrow(shape.depth), 1.0F, a_values, narrow(a.line_length()), b_values,
              narrow(b.line_length()), shape.add ? 1.0F : 0.0F, out, narrow(shape.cols));
}

}  // namespace assay::oracle
