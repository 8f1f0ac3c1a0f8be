#include "src/harness/process/warden.h"

#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/harness/process/process_table.h"
#include "src/harness/process/worker_loop.h"

namespace assay {
namespace {

class Warden {
 public:
  Warden(pid_t worker, int socket, int signals)
      : worker_(worker), socket_(socket), signals_(signals) {}

  int watch() {
    while (!ended_ && !is_told_to_end()) {}
    end_all();
    return end_alike();
  }

 private:
  // Waits for something to happen. SIGCHLD comes of the worker, and of what it left to us.
  bool is_told_to_end() {
    pollfd events[] = {{signals_, POLLIN, 0}, {socket_, 0, 0}};
    if (poll(events, 2, -1) < 0) { return errno != EINTR; }
    if (events[1].revents != 0) { return true; }
    signalfd_siginfo info{};
    const bool read_one = read(signals_, &info, sizeof info) == sizeof info;
    reap();
    return read_one && info.ssi_signo == SIGTERM;
  }

  void note(pid_t pid, int status) {
    if (pid != worker_) { return; }
    ended_ = true;
    status_ = status;
  }

  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) { note(pid, status); }
  }

  // A child that is killed leaves its children to us.
  void end_all() {
    if (!ended_) {  // and nobody else has its number
      kill(-worker_, SIGKILL);
      kill(worker_, SIGKILL);  // should the kernel have left its group
    }
    const pid_t self = getpid();
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) >= 0;) {
      if (pid == 0) {
        for_each_process([&](const ProcessEntry& entry) {
          if (entry.parent == self && !entry.ended) { kill(entry.pid, SIGKILL); }
        });
        pid = waitpid(-1, &status, 0);
      }
      note(pid, status);
    }
  }

  int end_alike() const {
    if (WIFEXITED(status_)) { return WEXITSTATUS(status_); }
    const int signal = WTERMSIG(status_);
    ::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    return kWorkerLostDriver;  // not reached: the signals that end a process end this one
  }

  pid_t worker_;
  int socket_, signals_;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace

std::optional<int> leave_to_worker(int socket) {
  sigset_t all, watched, before;
  sigfillset(&all);
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGTERM);
  sigprocmask(SIG_BLOCK, &all, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // of this process alone, its children do not inherit it
  const pid_t warden = getpid();
  const pid_t worker = fork();
  if (worker < 0) { return kWorkerNoProcess; }
  if (worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != warden) {
      _exit(kWorkerDone);  // it died before that
    }
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return std::nullopt;
  }
  setpgid(worker, worker);  // whichever comes first
  // The driver sees the end of what the kernel prints.
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) { close(output); }
  return Warden(worker, socket, signalfd(-1, &watched, SFD_CLOEXEC)).watch();
}

}  // namespace assay
