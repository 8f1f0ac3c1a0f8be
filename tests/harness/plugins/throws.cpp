#include <stdexcept>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  if (call->k == 1) throw 1;
  throw std::runtime_error("no tile\nfits");
}
