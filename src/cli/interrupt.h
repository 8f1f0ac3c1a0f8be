// Interrupts: the first one lets a run end with what it has, a second one ends the process.
#pragma once

#include <atomic>

namespace assay {

// Installs the handlers of SIGINT and SIGTERM; the flag is set by the first.
const std::atomic<bool>* interrupt_flag();

}  // namespace assay
