/* Needs as many calls at once as k says: waits until they have all come. */
#include <stdatomic.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  static atomic_int here = 0;
  atomic_fetch_add(&here, 1);
  while (atomic_load(&here) < call->k) {}
  return naive_run(call);
}
