/* Needs a device that no machine has. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST(", \"device\": \"cuda\", \"least_capability\": 998")

int assay_run_v1(const assay_call* call) { return naive_answer(call, ASSAY_ERROR, "never called"); }
