// How a worker process is found and started.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <signal.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "src/harness/process/worker_process.h"

extern char** environ;

namespace assay {
namespace {

constexpr int kWorkerSocket = 3;

// A descriptor that closes itself, out of the way of 0 to kWorkerSocket.
class OwnedFd {
 public:
  explicit OwnedFd(int fd) : fd_(fd) {
    if (fd_ < 0 || fd_ > kWorkerSocket) { return; }
    fd_ = fcntl(fd, F_DUPFD_CLOEXEC, kWorkerSocket + 1);
    close(fd);
  }
  ~OwnedFd() {
    if (fd_ >= 0) { close(fd_); }
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// The spawn attributes and actions, destroyed with their scope.
struct SpawnPlan {
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

std::uint64_t random_nonce() {
  std::uint64_t nonce = 0;
  while (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce) {}
  return nonce;
}

// What the machine has not got may be there for the next worker.
tl::unexpected<Error> cannot_start(const std::string& path, int error) {
  const bool shortage =
      error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE || error == ENOBUFS;
  return tl::make_unexpected(
      Error{fmt::format("cannot start the worker '{}': {}", path, std::strerror(error)), shortage});
}

}  // namespace

Result<std::string> find_worker(const std::string& path) {
  namespace fs = std::filesystem;
  const auto usable = [](const fs::path& file) { return access(file.c_str(), X_OK) == 0; };
  const char* const from_environment = std::getenv("ASSAY_WORKER");
  const std::string wanted = !path.empty()                 ? path
                             : from_environment != nullptr ? from_environment
                                                           : "";
  if (!wanted.empty()) {
    if (usable(wanted)) { return wanted; }
    return make_error(fmt::format("the worker '{}' cannot be executed", wanted));
  }
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* const place :
       {"assay-worker", "../assay-worker", "../libexec/assay/assay-worker"}) {
    if (usable(folder / place)) { return (folder / place).string(); }
  }
  return make_error(
      fmt::format("assay-worker is neither in '{}' nor one folder up nor in "
                  "'../libexec/assay'; ASSAY_WORKER names another place",
                  folder.string()));
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const WorkerCommand& command) {
  const std::string& path = command.front();
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
    return cannot_start(path, errno);
  }
  OwnedFd ours(sockets[0]);
  const OwnedFd theirs(sockets[1]);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) { return cannot_start(path, errno); }
  OwnedFd output(pipe_ends[0]);
  const OwnedFd printed(pipe_ends[1]);
  // All but the last may have moved out of the way.
  if (std::min({ours.get(), theirs.get(), output.get(), printed.get()}) < 0) {
    return cannot_start(path, EMFILE);
  }
  fcntl(output.get(), F_SETFL, O_NONBLOCK);

  SpawnPlan plan;
  posix_spawn_file_actions_addopen(&plan.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.actions, printed.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&plan.actions, printed.get(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&plan.actions, theirs.get(), kWorkerSocket);
  WorkerCommand words = command;
  words.insert(words.end(), {"--fd", std::to_string(kWorkerSocket)});
  std::vector<char*> arguments;
  for (std::string& word : words) { arguments.push_back(word.data()); }
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, path.c_str(), &plan.actions, &plan.attributes, arguments.data(), environ);
  if (error != 0) { return cannot_start(path, error); }
  const std::uint64_t nonce = random_nonce();
  std::unique_ptr<WorkerProcess> worker(
      new WorkerProcess(pid, ours.release(), output.release(), nonce));
  worker->send(PacketWriter(worker->header(PacketKind::kStart)));
  return worker;
}

}  // namespace assay
