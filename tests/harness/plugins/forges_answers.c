/* Writes what looks like an answer, but for the nonce, and never returns. */
#include <unistd.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")

int assay_run_v1(const assay_call* call) {
  struct {
    uint32_t kind, reserved;
    uint64_t nonce, sequence;
    int32_t status, threw, mapped, more;
    double seconds;
  } answer = {0x41730006, 0, 12345, 1, ASSAY_OK, 0, 1, 0, 0.5};
  for (int fd = 3; fd < 64; ++fd) {
    if (write(fd, &answer, sizeof answer) < 0) continue;
  }
  while (call->k > 0) pause();
  return naive_run(call);
}
