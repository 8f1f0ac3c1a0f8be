#include <stdio.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

/* How willingly the system ends it when memory is short; nothing at k=1, no status at k=2. */
int assay_run_v1(const assay_call* call) {
  if (call->k == 1) return ASSAY_ERROR;
  if (call->k == 2) return 77;
  FILE* const score = fopen("/proc/self/oom_score_adj", "r");
  if (score != NULL && fgets(call->message, (int)call->message_bytes, score) == NULL) return 3;
  return ASSAY_ERROR;
}
