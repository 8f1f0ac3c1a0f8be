/* Zeroes tail and padding rows of y, as it declares, but for the last row when k = 1. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST(", \"tail_rows\": \"zeroed\", \"padding_rows\": \"zeroed\"")

int assay_run_v1(const assay_call* call) {
  const int64_t bytes = call->y->shape[1] * (call->y->dtype.bits / 8);
  const int64_t rows = call->rows - (call->k == 1 ? 1 : 0);
  for (int64_t row = 0; row < rows; ++row) {
    memset(naive_data(call->y) + row * call->y->strides[0] * (call->y->dtype.bits / 8), 0, bytes);
  }
  return naive_run(call);
}
