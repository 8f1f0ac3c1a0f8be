#include "src/harness/process/crash_report.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <signal.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "src/harness/process/protocol.h"

namespace assay {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kStackBytes = std::size_t{64} << 10;

// Read by a signal handler: plain words, set before any kernel runs.
int crash_socket = -1;
std::uint64_t crash_nonce = 0;
volatile std::uint64_t crash_sequence = 0;

std::uint64_t stack_pointer([[maybe_unused]] const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.sp;
#else
  return 0;
#endif
}

Access access_of([[maybe_unused]] const ucontext_t& context) {
#if defined(__x86_64__)
  constexpr long long kPageFaultWasWrite = 2;  // error code of the page fault, bit 1
  return (context.uc_mcontext.gregs[REG_ERR] & kPageFaultWasWrite) != 0 ? Access::kWrite
                                                                        : Access::kRead;
#else
  return Access::kUnknown;
#endif
}

void report(int signal, siginfo_t* info, void* raw_context) {
  const auto& context = *static_cast<const ucontext_t*>(raw_context);
  struct Packet {
    PacketHeader header;
    FaultBody body;
  } packet{};
  packet.header = {PacketKind::kFault, 0, crash_nonce, crash_sequence};
  packet.body.signal = signal;
  packet.body.code = info->si_code;
  if (signal == SIGSEGV || signal == SIGBUS) {
    packet.body.address = reinterpret_cast<std::uint64_t>(info->si_addr);
    packet.body.access = signal == SIGSEGV ? access_of(context) : Access::kUnknown;
    // A frame may be large, a page guards the stack's end.
    constexpr std::uint64_t kNear = std::uint64_t{1} << 20;
    const std::uint64_t stack = stack_pointer(context);
    packet.body.near_stack =
        packet.body.address + kNear > stack && packet.body.address < stack + kNear;
  }
  send(crash_socket, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT);
  raise(signal);  // the handler is gone by now (SA_RESETHAND): this ends the process
}

}  // namespace

void install_crash_reports(int socket, std::uint64_t nonce) {
  crash_socket = socket;
  crash_nonce = nonce;
  reinstall_crash_reports();
  use_alternate_stack();
}

int reinstall_crash_reports() {
  struct sigaction action {};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  int taken = 0;
  for (const int signal : kSignals) {
    struct sigaction before {};
    sigaction(signal, &action, &before);
    const bool ours = (before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction == report;
    if (!ours && taken == 0) { taken = signal; }
  }
  return taken;
}

void set_crash_sequence(std::uint64_t sequence) { crash_sequence = sequence; }

void use_alternate_stack() {
  stack_t current{};
  sigaltstack(nullptr, &current);
  if ((current.ss_flags & SS_DISABLE) == 0) {
    return;  // a sanitizer's, which it frees by itself
  }
  thread_local const std::unique_ptr<char[]> memory(new char[kStackBytes]);
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, nullptr);
}

}  // namespace assay
