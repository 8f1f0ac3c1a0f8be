/* Never writes the last expert's rows. */
#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  assay_call fewer = *call;
  fewer.experts -= 1;
  return naive_run(&fewer);
}
