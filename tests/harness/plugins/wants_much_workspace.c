/* Right, but for a workspace that no machine has. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST(",\"workspace_bytes\":40000000000000")

int assay_run_v1(const assay_call* call) { return naive_run(call); }
