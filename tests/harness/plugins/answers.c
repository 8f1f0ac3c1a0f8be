/* k = 1: UNSUPPORTED, k = 2: ERROR, k = 3: no status of the ABI, k = 4: OK with the status word
 * set. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  if (call->k == 1) return naive_answer(call, ASSAY_UNSUPPORTED, "k is\nodd");
  if (call->k == 2) {
    memset(call->message, 'e', call->message_bytes);
    return ASSAY_ERROR;
  }
  if (call->k == 3) return 7;
  if (call->k == 4) *call->status = 1;
  return naive_run(call);
}
