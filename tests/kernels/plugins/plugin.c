/* Small plug-ins in C99: the ABI header has to compile as C, and the loader has to refuse each
 * broken one. */
#include <stddef.h>
#include <string.h>

#include "src/contract/assay/abi.h"

#if !defined(WITHOUT_MANIFEST)
const char* assay_manifest_v1(void) {
#if defined(WITH_NULL_MANIFEST)
  return NULL;
#elif defined(WITH_BROKEN_JSON)
  return "{\"name\": \"broken\",\n \"passes\": [\"fwd\",]}";
#elif defined(WITH_CONTRADICTION)
  return "{\"name\": \"contradicting\", \"passes\": [\"fwd\"], \"weights\": [\"enk\"], "
         "\"offsets\": [\"ends\"],"
         " \"formats\": [{\"in\": \"bf16\", \"out\": \"bf16\"}], \"batch_invariant\": true}";
#else
  return "{\"name\": \"c_plugin\", \"passes\": [\"fwd\"], \"weights\": [\"enk\"], \"offsets\": "
         "[\"ends\"],"
         " \"formats\": [{\"in\": \"fp32\", \"out\": \"fp32\"}]}";
#endif
}
#endif

#if defined(WITH_LARGER_CALL)
const uint64_t assay_call_bytes_v1 = sizeof(assay_call) + 8;
#endif

#if !defined(WITHOUT_RUN)
static int answer(const assay_call* call, int code, const char* text) {
  if (call->message != NULL && call->message_bytes > strlen(text)) { strcpy(call->message, text); }
  return code;
}

static int32_t end_of(const assay_call* call, int64_t expert) {
  return expert < 0 ? 0 : ((const int32_t*)call->offsets->data)[expert];
}

int assay_run_v1(const assay_call* call) {
  const float* x = (const float*)call->x->data;
  const float* w = (const float*)call->w->data;
  float* y = (float*)call->y->data;
  int64_t g, row, col, step;
  if (call->struct_size_bytes < sizeof(assay_call) || call->pass != ASSAY_FWD ||
      call->weights != ASSAY_ENK || call->convention != ASSAY_OFFSETS_ENDS) {
    return answer(call, ASSAY_UNSUPPORTED, "fwd with enk weights and ends only");
  }
  for (g = 0; g < call->experts; ++g) {
    for (row = end_of(call, g - 1); row < end_of(call, g); ++row) {
      for (col = 0; col < call->n; ++col) {
        const float* weights = w + g * call->w->strides[0] + col * call->w->strides[1];
        float sum = 0;
        for (step = 0; step < call->k; ++step) {
          sum += x[row * call->x->strides[0] + step] * weights[step];
        }
        y[row * call->y->strides[0] + col] = sum;
      }
    }
  }
  return ASSAY_OK;
}
#endif

/* Where one variant leaves both functions out, the file must still declare something. */
typedef int plugin_is_not_empty;
