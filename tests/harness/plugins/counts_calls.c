/* Adds the number of its calls in this process to the first element of y, which must be fp32. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  static int calls = 0;
  const int status = naive_run(call);
  const float value = (float)++calls;
  memcpy(naive_data(call->y), &value, sizeof value);
  return status;
}
