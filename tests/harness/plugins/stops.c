/* Stops its process in every case with k = 1. */
#include <signal.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  if (call->k == 1) raise(SIGSTOP);
  return naive_run(call);
}
