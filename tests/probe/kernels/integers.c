// A forward product of int8 into fp32 whose sums are kept in int32 (SUMS=0) or fp32 (SUMS=1), under
// a manifest that says nothing but its formats.
#include <stdint.h>

#include "src/contract/assay/abi.h"

#if SUMS == 0
typedef int32_t Sum;
#else
typedef float Sum;
#endif

const char* assay_manifest_v1(void) {
  return "{\"name\": \"black_box\", \"formats\": [{\"in\": \"int8\", \"out\": \"fp32\"}]}";
}

int assay_run_v1(const assay_call* call) {
  if (call->pass != ASSAY_FWD || call->convention != ASSAY_OFFSETS_ENDS ||
      call->weights != ASSAY_ENK || call->offsets->dtype.bits != 32) {
    return ASSAY_UNSUPPORTED;
  }
  const int8_t* x = call->x->data;
  const int8_t* w = call->w->data;
  float* y = call->y->data;
  const int32_t* ends = call->offsets->data;
  int64_t row = 0;
  for (int64_t g = 0; g < call->experts; ++g) {
    for (; row < ends[g]; ++row) {
      for (int64_t col = 0; col < call->n; ++col) {
        Sum sum = 0;
        for (int64_t i = 0; i < call->k; ++i) {
          sum += x[row * call->x->strides[0] + i] *
                 w[g * call->w->strides[0] + col * call->w->strides[1] + i];
        }
        y[row * call->y->strides[0] + col] = (float)sum;
      }
    }
  }
  return ASSAY_OK;
}
