/* Hangs in every case with k = 1. */
#include <unistd.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  while (call->k == 1) pause();
  return naive_run(call);
}
