#include "fuzz/crash_line.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

namespace assay {
namespace {

// Whoever asks is in a signal handler: no allocation, no stream.
struct Line {
  char text[8192];
  std::size_t length = 0;
  char kernel[512];
  std::size_t kernel_length = 0;
  bool printed = true;
};
Line line;

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
struct sigaction before[NSIG];

void put(const char* text, std::size_t length) {
  // Nothing can be done when the terminal is gone.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, length);
}
void put(const char* text) { put(text, std::strlen(text)); }

void on_signal(int number, siginfo_t* info, void* context) {
  print_remembered_line();
  const struct sigaction& next = before[number];
  if ((next.sa_flags & SA_SIGINFO) != 0) {
    next.sa_sigaction(number, info, context);
  } else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) {
    next.sa_handler(number);
  } else {
    sigaction(number, &next, nullptr);
    raise(number);
  }
}

// libFuzzer and the sanitizers have set theirs by the time of the first input; ours runs before
// them.
void watch_signals() {
  for (const int number : kSignals) {
    struct sigaction ours = {};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(number, &ours, &before[number]);
  }
}

std::size_t copy(char* to, std::size_t room, std::string_view from) {
  const std::size_t length = from.size() < room ? from.size() : room;
  std::memcpy(to, from.data(), length);
  return length;
}

}  // namespace

void remember_line(std::string_view text, std::string_view kernel) {
  static const bool watching = (watch_signals(), true);
  static_cast<void>(watching);
  line.length = copy(line.text, sizeof line.text, text);
  line.kernel_length = copy(line.kernel, sizeof line.kernel, kernel);
  line.printed = false;
}

void forget_line() { line.printed = true; }

void print_remembered_line() {
  if (line.printed) { return; }
  line.printed = true;
  put("case: ");
  put(line.text, line.length);
  put("\nreplay: ./run assay run '");
  put(line.text, line.length);
  put("' --kernel ");
  put(line.kernel, line.kernel_length);
  put("\n");
}

}  // namespace assay

// Hooks of the sanitizers, called when they report; nobody calls them in other builds.
extern "C" void __ubsan_on_report();
extern "C" void __ubsan_on_report() { assay::print_remembered_line(); }
extern "C" void __asan_on_error();
extern "C" void __asan_on_error() { assay::print_remembered_line(); }
