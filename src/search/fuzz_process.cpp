#include "src/search/fuzz_process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kReportDescriptor = 3;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) { pointers.push_back(word.data()); }
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_for(const std::string& kernel) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "ASSAY_FUZZ_", 11) != 0) { environment.emplace_back(*entry); }
  }
  environment.push_back("ASSAY_FUZZ_KERNEL=" + kernel);
  environment.push_back(fmt::format("ASSAY_FUZZ_REPORT={}", kReportDescriptor));
  return environment;
}

// 0, or the error number.
int spawn(const std::string& program, std::vector<std::string> words, const std::string& kernel,
          int report, const std::string& log_file, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, report, kReportDescriptor);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: an interrupt meant for us lets it finish under our control.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> environment = environment_for(kernel);
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes,
                                pointers_to(words).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<std::string> find_fuzzer() {
  const auto usable = [](const fs::path& file) { return access(file.c_str(), X_OK) == 0; };
  if (const char* named = std::getenv("ASSAY_FUZZER"); named != nullptr && *named != '\0') {
    if (usable(named)) { return std::string(named); }
    return make_error(fmt::format("ASSAY_FUZZER='{}' cannot be executed", named));
  }
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"assay-fuzz", "../fuzz/assay-fuzz", "../libexec/assay/assay-fuzz"}) {
    if (usable(folder / place)) { return (folder / place).lexically_normal().string(); }
  }
  return make_error(fmt::format(
      "no assay-fuzz beside '{}': fuzzing needs clang's libFuzzer; build it with `cmake --preset "
      "fuzz && ninja -C build/fuzz assay-fuzz`, and run this again",
      folder.string()));
}

Result<std::unique_ptr<FuzzProcess>> FuzzProcess::start(const std::string& program,
                                                        const std::string& kernel,
                                                        const std::vector<std::string>& words,
                                                        const std::string& log_file) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return make_error(fmt::format("cannot start '{}': {}", program, std::strerror(errno)));
  }
  // dup2 onto itself would keep the close-on-exec flag.
  int report = ends[1];
  if (report == kReportDescriptor) {
    report = fcntl(ends[1], F_DUPFD_CLOEXEC, kReportDescriptor + 1);
    close(ends[1]);
  }
  std::vector<std::string> all{program};
  all.insert(all.end(), words.begin(), words.end());
  pid_t pid = -1;
  const int error = spawn(program, std::move(all), kernel, report, log_file, pid);
  close(report);
  if (error != 0) {
    close(ends[0]);
    return make_error(fmt::format("cannot start '{}': {}", program, std::strerror(error)));
  }
  return std::unique_ptr<FuzzProcess>(new FuzzProcess(pid, ends[0]));
}

FuzzProcess::~FuzzProcess() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    exit_code();
  }
  close(descriptor_);
}

std::optional<std::string> FuzzProcess::next_line(double seconds) {
  while (true) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (ended_) { return std::nullopt; }
    pollfd wait{descriptor_, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(seconds * 1000)) <= 0) { return std::nullopt; }
    char chunk[1 << 16];
    const ssize_t bytes = read(descriptor_, chunk, sizeof chunk);
    if (bytes > 0) { buffer_.append(chunk, static_cast<std::size_t>(bytes)); }
    ended_ = bytes == 0 || (bytes < 0 && errno != EINTR);
  }
}

int FuzzProcess::exit_code() {
  int status = 0;
  pid_t got = -1;
  do { got = waitpid(pid_, &status, 0); } while (got < 0 && errno == EINTR);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace assay
