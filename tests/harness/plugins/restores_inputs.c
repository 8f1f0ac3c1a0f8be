/* Right numbers, with an operand or the offsets changed for a while where the tactic says. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST(", \"tactics\": [\"x\", \"w\", \"y\", \"offsets\"], \"base_bytes\": 1")

int assay_run_v1(const assay_call* call) {
  const assay_tensor* const changed = strcmp(call->tactic, "x") == 0         ? call->x
                                      : strcmp(call->tactic, "w") == 0       ? call->w
                                      : strcmp(call->tactic, "y") == 0       ? call->y
                                      : strcmp(call->tactic, "offsets") == 0 ? call->offsets
                                                                             : NULL;
  if (changed != NULL) {
    volatile char* const at = naive_data(changed);
    const char kept = *at;
    *at = (char)(kept ^ 0x55);
    *at = kept;
  }
  return naive_run(call);
}
