#include <exception>
#include <stdexcept>
#include <string>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

// Longer than a packet to the driver, and no UTF-8.
int assay_run_v1(const assay_call*) {
  constexpr int kBytes = 1 << 20;
  std::rethrow_exception(
      std::make_exception_ptr(std::runtime_error("shapes \xff" + std::string(kBytes, 'x'))));
}
