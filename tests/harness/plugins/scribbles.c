/* Right numbers, and one byte changed where the tactic says. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST(
    ", \"tactics\": [\"x\", \"w\", \"offsets\", \"above\", \"gap\", \"tail\", \"padding\", "
    "\"below\","
    "\"workspace\"], \"workspace_bytes\": 100, \"base_bytes\": 1")

static void flip(char* at) { *at = (char)(*at ^ 0x55); }

int assay_run_v1(const assay_call* call) {
  const int status = naive_run(call);
  const int64_t row_bytes = call->y->strides[0] * (call->y->dtype.bits / 8);
  const int64_t used_bytes = call->y->shape[1] * (call->y->dtype.bits / 8);
  int64_t start, count;
  naive_group(call, call->experts - 1, &start, &count);
  if (strcmp(call->tactic, "x") == 0) {
    flip(naive_data(call->x) + start * call->x->strides[0] * (call->x->dtype.bits / 8) + 4);
  }
  if (strcmp(call->tactic, "w") == 0) flip(naive_data(call->w) + 1);
  if (strcmp(call->tactic, "offsets") == 0) flip(naive_data(call->offsets) + 1);
  if (strcmp(call->tactic, "above") == 0) flip(naive_data(call->y) + naive_extent(call->y) + 7);
  if (strcmp(call->tactic, "below") == 0) flip(naive_data(call->y) - 3);
  if (strcmp(call->tactic, "gap") == 0) flip(naive_data(call->y) + used_bytes + 1);
  if (strcmp(call->tactic, "tail") == 0) {
    flip(naive_data(call->y) + (call->rows - 1) * row_bytes + 2);
  }
  if (strcmp(call->tactic, "padding") == 0) {
    flip(naive_data(call->y) + (start + count) * row_bytes);
  }
  if (strcmp(call->tactic, "workspace") == 0) {
    flip((char*)call->workspace + call->workspace_bytes);
  }
  return status;
}
