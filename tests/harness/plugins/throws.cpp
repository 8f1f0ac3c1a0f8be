#include <exception>
#include <stdexcept>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  if (call->k == 1) { std::rethrow_exception(std::make_exception_ptr(1)); }
  std::rethrow_exception(std::make_exception_ptr(std::runtime_error("no tile\nfits")));
}
