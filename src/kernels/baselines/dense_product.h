// Dense fp32 products of the baselines: operands widened into dense buffers, one OpenBLAS call, the
// result narrowed.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/kernels/call_view.h"

namespace assay {

// A dense fp32 copy of a matrix, padded with zeros to [rows, cols]; transposed in memory where the
// source's rows are the contiguous direction.
struct DenseMatrix {
  std::vector<float> values;
  Index rows = 0, cols = 0;
  bool by_columns = false;  // element (row, col) lies at col * rows + row

  float& at(Index row, Index col) {
    return values[static_cast<std::size_t>(by_columns ? col * rows + row : row * cols + col)];
  }
};

// Shapes the copy as `source` is laid out. Requires: rows, cols at least the source's.
void widen_into(const ElementMatrix& source, Index rows, Index cols, DenseMatrix& copy);
// Each element of the copy times its scale, rounded.
void multiply_scales(const ElementMatrix& source, const ScaleMatrix& scales, DenseMatrix& copy);
// Gives `copy` that shape, orientation and pitch, with values unspecified: for a result.
void shape_as(const ElementMatrix& target, Index rows, Index cols, DenseMatrix& copy);
// The top left part of `copy`, as large as `target`, rounded once to its format.
void narrow_from(const DenseMatrix& copy, const ElementMatrix& target);

// out = a b, or out + a b. Requires: matching shapes, none above 2^31 - 1.
void multiply(const DenseMatrix& a, const DenseMatrix& b, bool accumulates, DenseMatrix& out);

struct DenseBuffers {
  DenseMatrix a, b, out;
};

// One expert's product on the shape [m, depth] x [depth, n], its operands padded with zeros up to
// it. Requires: m, depth at least the product's own.
void run_dense(const GroupProduct& product, Index m, Index depth, bool accumulates,
               DenseBuffers& buffers);

// The manifest that the baselines share.
std::string baseline_manifest(const std::string& name);

// Holds OpenBLAS to a number of threads (0: its own choice) for one call. Calls that name a number
// wait for each other, since OpenBLAS has one setting a process.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_ = 0;
};

// Runs `body` with the call's number of BLAS threads; memory that is not to be had is the call's
// error.
template <class Body>
int run_guarded(const assay_call& call, const Body& body) {
  try {
    const BlasThreads threads(call.threads);
    body();
    return ASSAY_OK;
  } catch (const std::bad_alloc&) {
    return answer(call, ASSAY_ERROR, "out of memory");
  } catch (const std::length_error&) {
    return answer(call, ASSAY_ERROR, "the operands are too large for a dense copy");
  }
}

}  // namespace assay
