// Changes what is around the call, or leaves a little more of it behind each time.
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "tests/hostile/attacks.h"

namespace hostile {
namespace {

// Flush-to-zero and denormals-are-zero.
void flush_subnormals() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

int leaves_rounding_mode(const assay_call* call) {
  const int status = multiply(call);
  std::fesetround(FE_UPWARD);
  return status;
}

int leaves_rounding_mode_after_a_while(const assay_call* call) {
  static int calls = 0;
  const int status = multiply(call);
  if (++calls == 100) { std::fesetround(FE_UPWARD); }
  return status;
}

int leaves_subnormals_flushed(const assay_call* call) {
  const int status = multiply(call);
  flush_subnormals();
  return status;
}

int flushes_subnormals_and_multiplies(const assay_call* call) {
  flush_subnormals();
  return multiply(call);
}

int leaves_traps(const assay_call* call) {
  const int status = multiply(call);
  feenableexcept(FE_ALL_EXCEPT);
  return status;
}

int shortens_x87(const assay_call* call) {
#if defined(__x86_64__)
  unsigned short word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  word = static_cast<unsigned short>(word & ~0x300U);
  asm volatile("fldcw %0" : : "m"(word));
#endif
  return multiply(call);
}

int blocks_signals(const assay_call* call) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  return multiply(call);
}

int ignores_faults(const assay_call* call) {
  signal(SIGSEGV, SIG_IGN);
  return multiply(call);
}

int changes_the_folder(const assay_call* call) {
  return chdir("/") == 0 ? multiply(call) : ASSAY_ERROR;
}

int sets_a_variable(const assay_call* call) {
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  return multiply(call);
}

int changes_the_umask(const assay_call* call) {
  umask(0);
  return multiply(call);
}

int lowers_its_priority(const assay_call* call) {
  return nice(19) < 0 ? ASSAY_ERROR : multiply(call);
}

int lowers_its_limits(const assay_call* call) {
  const rlimit low{1 << 20, 1 << 20};
  setrlimit(RLIMIT_AS, &low);
  return multiply(call);
}

int leaves_threads(const assay_call* call) {
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    const auto wait = [](void*) -> void* {
      for (;;) { pause(); }
    };
    if (pthread_create(&thread, nullptr, wait, nullptr) != 0) { return ASSAY_ERROR; }
  }
  return multiply(call);
}

int leaks_a_megabyte(const assay_call* call) {
  void* const leaked = std::malloc(1 << 20);
  std::memset(leaked, 1, 1 << 20);
  asm volatile("" : : "r"(leaked) : "memory");
  return multiply(call);
}

int leaks_a_descriptor(const assay_call* call) {
  return open("/dev/null", O_RDONLY) < 0 ? ASSAY_ERROR : multiply(call);
}

int leaves_shared_memory(const assay_call* call) {
  const int fd = open("/dev/shm/assay-hostile", O_CREAT | O_RDWR, 0600);
  if (fd < 0 || ftruncate(fd, 1 << 20) != 0 || close(fd) != 0) { return ASSAY_ERROR; }
  return multiply(call);
}

int leaves_files(const assay_call* call) {
  static int calls = 0;
  const std::string path = "assay-hostile-" + std::to_string(++calls);
  const int fd = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
  return fd < 0 || close(fd) != 0 ? ASSAY_ERROR : multiply(call);
}

constexpr Attack kAttacks[] = {
    {"leaves_rounding_mode", leaves_rounding_mode},
    {"leaves_rounding_mode_after_a_while", leaves_rounding_mode_after_a_while},
    {"leaves_subnormals_flushed", leaves_subnormals_flushed},
    {"flushes_subnormals_and_multiplies", flushes_subnormals_and_multiplies},
    {"leaves_traps", leaves_traps},
    {"shortens_x87", shortens_x87},
    {"blocks_signals", blocks_signals},
    {"ignores_faults", ignores_faults},
    {"changes_the_folder", changes_the_folder},
    {"sets_a_variable", sets_a_variable},
    {"changes_the_umask", changes_the_umask},
    {"lowers_its_priority", lowers_its_priority},
    {"lowers_its_limits", lowers_its_limits},
    {"leaves_threads", leaves_threads},
    {"leaks_a_megabyte", leaks_a_megabyte},
    {"leaks_a_descriptor", leaks_a_descriptor},
    {"leaves_shared_memory", leaves_shared_memory},
    {"leaves_files", leaves_files},
};

}  // namespace

std::span<const Attack> attacks_on_surroundings() { return kAttacks; }

}  // namespace hostile
