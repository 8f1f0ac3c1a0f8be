/* As the system kills a process where memory is out. */
#include <signal.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  kill(getpid(), SIGKILL);
  return naive_run(call);
}
