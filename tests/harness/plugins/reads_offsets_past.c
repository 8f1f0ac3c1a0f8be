/* Takes ends for indptr: reads one entry too many. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  const volatile int32_t* ends = (const volatile int32_t*)call->offsets->data;
  return ends[call->experts] == 1 ? naive_run(call) : naive_run(call);
}
