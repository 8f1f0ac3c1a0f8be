// A child of a test's process in which the system gives no more threads, as where ulimit -u or
// pids.max is reached; root has no such limit, so a filter of system calls says no.
#pragma once

#include <cerrno>
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace assay::testing {

// In this process and its children, for good. Processes can be started as ever.
inline bool forbid_threads() {
  const auto answer = [](int error) { return SECCOMP_RET_ERRNO | static_cast<unsigned>(error); };
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 3, 0),  // the library falls back on clone
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 2),
      BPF_STMT(BPF_RET | BPF_K, answer(ENOSYS)),
      BPF_STMT(BPF_RET | BPF_K, answer(EAGAIN)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof *program, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// What `body` answers in such a child; -1 where the child did not come to its end.
template <class Body>
int without_threads(const Body& body) {
  const pid_t child = fork();
  if (child == 0) { _exit(forbid_threads() ? body() : 99); }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace assay::testing
