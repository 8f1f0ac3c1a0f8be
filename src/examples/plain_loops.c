/* A plug-in kernel as a stranger writes one: forward only, fp32, plain loops, installed header. */
#include <stdio.h>

#include "assay/abi.h"

/* What is not declared is probed: here, all but the name. */
const char* assay_manifest_v1(void) { return "{\"name\": \"plain_loops\"}"; }

int assay_run_v1(const assay_call* call) {
  if (call->pass != ASSAY_FWD || call->weights != ASSAY_ENK || call->accumulate ||
      call->convention != ASSAY_OFFSETS_ENDS || call->x->dtype.bits != 32 ||
      call->y->dtype.bits != 32 || call->offsets->dtype.bits != 32) {
    snprintf(call->message, call->message_bytes, "plain_loops: only fwd, fp32, enk, ends:i32");
    return ASSAY_UNSUPPORTED;
  }
  const int32_t* ends = call->offsets->data;
  const float* x = call->x->data;
  const float* w = call->w->data;
  float* y = call->y->data;
  int64_t row = 0;
  for (int64_t expert = 0; expert < call->experts; ++expert) {
    const float* weights = w + expert * call->w->strides[0];
    for (; row < ends[expert]; ++row) {
      for (int64_t col = 0; col < call->n; ++col) {
        float sum = 0;
        for (int64_t k = 0; k < call->k; ++k) {
          sum += x[row * call->x->strides[0] + k] * weights[col * call->w->strides[1] + k];
        }
        y[row * call->y->strides[0] + col] = sum;
      }
    }
  }
  return ASSAY_OK;
}
