/* Leaves its process no address space for what the next call's operands may need. */
#include <sys/resource.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  const int status = naive_run(call);
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_AS, &none);
  return status;
}
