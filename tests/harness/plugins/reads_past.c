/* Reads x past its end, by as many bytes as k says. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  const volatile char* past = naive_data(call->x) + naive_extent(call->x) + call->k - 1;
  return *past == 1 ? naive_run(call) : naive_run(call);
}
