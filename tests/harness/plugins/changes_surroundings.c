/* Right numbers, and one thing around the call left changed, as the tactic says. */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST(
    ", \"tactics\": [\"flushing\", \"rounding\", \"traps\", \"precision\", \"signals\", "
    "\"folder\", \"umask\", \"variable\", \"locale\", \"handler\", \"nice\", \"processors\", "
    "\"limit\", "
    "\"call\", \"several\"]")

static void flush(void) {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* flush-to-zero, denormals-are-zero */
#endif
}

static void shorten_x87(void) {
#if defined(__x86_64__)
  unsigned short word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  word &= (unsigned short)~0x300u;
  __asm__ volatile("fldcw %0" : : "m"(word));
#endif
}

static void block(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
}

static void lower_limit(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur /= 2;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void bind_thread(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set) && found++ > 0) CPU_CLR(cpu, &set);
  }
  sched_setaffinity(0, sizeof set, &set);
}

int assay_run_v1(const assay_call* call) {
  const int status = naive_run(call);
  const char* const what = call->tactic;
  int failed = 0;
  if (strcmp(what, "flushing") == 0) flush();
  if (strcmp(what, "rounding") == 0) fesetround(FE_UPWARD);
  if (strcmp(what, "traps") == 0) feenableexcept(FE_INEXACT | FE_DIVBYZERO);
  if (strcmp(what, "precision") == 0) shorten_x87();
  if (strcmp(what, "signals") == 0) block();
  if (strcmp(what, "folder") == 0) failed = chdir("/");
  if (strcmp(what, "umask") == 0) umask(0777);
  if (strcmp(what, "variable") == 0) setenv("ASSAY_TEST_VARIABLE", "1", 1);
  if (strcmp(what, "locale") == 0) setlocale(LC_NUMERIC, "C.UTF-8");
  if (strcmp(what, "handler") == 0) signal(SIGTERM, SIG_IGN);
  if (strcmp(what, "nice") == 0) setpriority(PRIO_PROCESS, 0, 15);
  if (strcmp(what, "processors") == 0) bind_thread();
  if (strcmp(what, "limit") == 0) lower_limit();
  if (strcmp(what, "call") == 0) ((assay_call*)call)->rows = 0;
  if (strcmp(what, "several") == 0) {
    flush();
    block();
    failed = chdir("/");
  }
  return failed == 0 ? status : ASSAY_ERROR;
}
