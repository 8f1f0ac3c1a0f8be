/* Writes y 24 bytes below its start. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  naive_data(call->y)[-24] = 1;
  return naive_run(call);
}
