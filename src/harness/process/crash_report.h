// In the worker: a dying process says which address it could not reach, over the socket, before the
// signal ends it.
#pragma once

#include <cstdint>

namespace assay {

// Takes SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT.
void install_crash_reports(int socket, std::uint64_t nonce);
// Puts the handlers back that a kernel replaced since, so that a read past an operand is seen. The
// first signal that it took over, 0 where it took none.
int reinstall_crash_reports();
// The run that a report belongs to.
void set_crash_sequence(std::uint64_t sequence);
// Gives the calling thread a stack of its own for reports, so that a stack overflow is reported
// too.
void use_alternate_stack();

}  // namespace assay
