/* Right numbers, and something left behind by each call, as the tactic says. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST(
    ", \"tactics\": [\"thread\", \"descriptor\", \"heap\", \"pages\", \"process\", \"daemon\", "
    "\"ended\", \"file\"]")

static void* wait_for_ever(void* unused) {
  for (;;) pause();
  return unused;
}

/* A child of nobody, in a session of its own. */
static void leave_daemon(void) {
  const pid_t child = fork();
  if (child != 0) {
    waitpid(child, NULL, 0);
    return;
  }
  setsid();
  if (fork() == 0) sleep(600);
  _exit(0);
}

/* A child that has ended and that nobody waits for. */
static void leave_zombie(void) {
  siginfo_t ended;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT);
}

int assay_run_v1(const assay_call* call) {
  const int status = naive_run(call);
  const char* const what = call->tactic;
  int failed = 0;
  if (strcmp(what, "thread") == 0) {
    pthread_t thread;
    failed = pthread_create(&thread, NULL, wait_for_ever, NULL);
  }
  if (strcmp(what, "descriptor") == 0) failed = open("/dev/null", O_RDONLY) < 0;
  if (strcmp(what, "heap") == 0) {
    static void* volatile leaked;
    leaked = malloc(1000);
  }
  if (strcmp(what, "pages") == 0) {
    failed = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
             MAP_FAILED;
  }
  if (strcmp(what, "process") == 0 && fork() == 0) {
    sleep(600);
    _exit(0);
  }
  if (strcmp(what, "daemon") == 0) leave_daemon();
  if (strcmp(what, "ended") == 0) leave_zombie();
  if (strcmp(what, "file") == 0) {
    const char* const path = getenv("ASSAY_TEST_FILE");
    const int file = path == NULL ? -1 : open(path, O_CREAT | O_WRONLY, 0600);
    failed = file < 0 || close(file) != 0;
  }
  return failed == 0 ? status : ASSAY_ERROR;
}
