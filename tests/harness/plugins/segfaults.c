#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  printf("about to\ngo wrong with k=%d\n", (int)call->k);
  fflush(stdout);
  volatile char* nowhere = (volatile char*)(intptr_t)8;
  *nowhere = 1;
  return naive_run(call);
}
