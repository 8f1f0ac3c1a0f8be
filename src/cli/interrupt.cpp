#include "src/cli/interrupt.h"

#include <csignal>

namespace assay {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>* interrupt_flag() {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  return &interrupted;
}

}  // namespace assay
