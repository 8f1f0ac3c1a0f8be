/* Takes a second of its thread's time in every case with k = 1. */
#include <time.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

static double own_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int assay_run_v1(const assay_call* call) {
  const double start = own_seconds();
  while (call->k == 1 && own_seconds() < start + 1) {}
  return naive_run(call);
}
