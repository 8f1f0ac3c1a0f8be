#include <unistd.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

__attribute__((constructor)) static void wait_long(void) { sleep(30); }

int assay_run_v1(const assay_call* call) { return naive_run(call); }
