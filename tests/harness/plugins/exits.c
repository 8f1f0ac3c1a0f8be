#include <stdlib.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  if (call->k == 1) exit(0);
  return naive_run(call);
}
