/* Dies and leaves a process behind that holds all descriptors. */
#include <stdlib.h>
#include <unistd.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  if (fork() == 0) {
    setsid();
    sleep(20);
    _exit(0);
  }
  if (call->k == 1) _exit(5);
  return naive_run(call);
}
