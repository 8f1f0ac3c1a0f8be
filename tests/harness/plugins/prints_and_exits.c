#include <unistd.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  printf("k=%d\n", (int)call->k);
  fflush(stdout);
  if (call->k == 1) _exit(1);
  return naive_run(call);
}
