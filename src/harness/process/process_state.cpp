#include "src/harness/process/process_state.h"

#include <cerrno>
#include <climits>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/harness/process/thread_state.h"

extern char** environ;

namespace assay {
namespace {

// Signals, limits, the nice value, the processors.
constexpr int kSignalCount = 31, kTurns = kSignalCount + RLIM_NLIMITS + 2;
constexpr int kWholeLooks = 2;

// Those that the crash reports watch over, or that have no handler.
bool is_left_out(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGKILL:
    case SIGSTOP:
      return true;
    default:
      return false;
  }
}

std::string current_folder() {
  char buffer[PATH_MAX];
  return getcwd(buffer, sizeof buffer) != nullptr ? buffer : "";
}

// Signals that nobody sends to himself: to put their action back does no harm. A library that takes
// another one for its own use would die of the default action.
bool comes_from_outside(int signal) {
  switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCHLD:
    case SIGCONT:
    case SIGWINCH:
      return true;
    default:
      return false;
  }
}

// What the C library adds by itself when an action is set; its headers have no name for it.
constexpr int kRestorerFlag = 0x04000000;

// The flags of an action without a function mean nothing.
bool same_handler(const struct sigaction& a, const struct sigaction& b) {
  if (a.sa_handler != b.sa_handler) { return false; }
  const bool has_function = a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
  return !has_function || ((a.sa_flags ^ b.sa_flags) & ~kRestorerFlag) == 0;
}

std::string_view action_of(const struct sigaction& action) {
  if (action.sa_handler == SIG_IGN) { return "ignored"; }
  if (action.sa_handler == SIG_DFL) { return "at its default action"; }
  return "with another handler";
}

// The limits that calls and the harness run into first; of others the number.
std::string name_of_limit(int resource) {
  switch (resource) {
    case RLIMIT_AS:
      return "the limit of its address space";
    case RLIMIT_DATA:
      return "the limit of its data";
    case RLIMIT_STACK:
      return "the limit of its stack";
    case RLIMIT_NOFILE:
      return "the limit of its open files";
    case RLIMIT_NPROC:
      return "the limit of its processes";
    case RLIMIT_CPU:
      return "the limit of its processor time";
    default:
      return fmt::format("its limit {}", resource);
  }
}

using Variables = std::map<std::string, std::string, std::less<>>;

void add_variable(Variables& variables, std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string_view::npos) { return; }
  variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
}

}  // namespace

void ProcessState::keep() {
  folder_ = current_folder();
  umask_ = umask(0);
  umask(umask_);
  keep_environment();
  locale_ = setlocale(LC_ALL, nullptr);
  for (int signal = 1; signal <= kSignalCount; ++signal) {
    if (!is_left_out(signal)) { sigaction(signal, nullptr, &handlers_[signal]); }
  }
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    getrlimit(static_cast<__rlimit_resource>(resource), &limits_[resource]);
  }
  nice_ = getpriority(PRIO_PROCESS, 0);
  sched_getaffinity(0, sizeof processors_, &processors_);
}

void ProcessState::keep_environment() {
  environment_.clear();
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    environment_.push_back({*entry, *entry});
  }
}

ProcessState::Change ProcessState::restore() {
  Change change;
  restore_folder(change);
  restore_umask(change);
  restore_environment(change);
  restore_locale(change);
  if (looks_ < kWholeLooks) {
    for (int turn = 0; turn < kTurns; ++turn) { restore_in_turn(turn, change); }
  } else {
    restore_in_turn(looks_ % kTurns, change);
  }
  if (++looks_ == kWholeLooks + kTurns) { looks_ = kWholeLooks; }
  return change;
}

void ProcessState::restore_in_turn(int turn, Change& change) {
  if (turn < kSignalCount) {
    if (!is_left_out(turn + 1)) { restore_handler(turn + 1, change); }
  } else if (turn < kSignalCount + RLIM_NLIMITS) {
    restore_limit(turn - kSignalCount, change);
  } else if (turn == kTurns - 2) {
    restore_priority(change);
  } else {
    restore_processors(change);
  }
}

void ProcessState::restore_folder(Change& change) {
  const std::string folder = current_folder();
  if (folder == folder_) { return; }
  add_clause(change.clauses,
             fmt::format("left the working directory changed to {}", quote(folder)));
  if (chdir(folder_.c_str()) == 0) { return; }
  change.restored = false;
  folder_ = folder;
}

void ProcessState::restore_umask(Change& change) const {
  const unsigned mask = umask(umask_);
  if (mask == umask_) { return; }
  add_clause(change.clauses, fmt::format("left the umask changed to {:03o}", mask));
}

// Almost always true, and then without a look at names.
bool ProcessState::environment_is_kept() const {
  std::size_t i = 0;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry, ++i) {
    if (i == environment_.size() || *entry != environment_[i].place) { return false; }
    if (std::strcmp(*entry, environment_[i].text.c_str()) != 0) { return false; }
  }
  return i == environment_.size();
}

void ProcessState::restore_environment(Change& change) {
  if (environment_is_kept()) { return; }
  Variables before, after;
  for (const Variable& variable : environment_) { add_variable(before, variable.text); }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    add_variable(after, *entry);
  }
  const auto accuse = [&](const std::string& name, const char* what) {
    if (variables_came_.insert(name).second) { return; }
    add_clause(change.clauses,
               fmt::format("left the environment variable {} {}", quote(name), what));
  };
  for (const auto& [name, value] : after) {
    if (before.contains(name)) { continue; }
    accuse(name, "set");
    unsetenv(name.c_str());
  }
  for (const auto& [name, value] : before) {
    const auto now = after.find(name);
    if (now != after.end() && now->second == value) { continue; }
    accuse(name, now == after.end() ? "unset" : "changed");
    setenv(name.c_str(), value.c_str(), 1);
  }
  keep_environment();
}

void ProcessState::restore_locale(Change& change) const {
  const char* const locale = setlocale(LC_ALL, nullptr);
  if (locale == locale_) { return; }
  add_clause(change.clauses, fmt::format("left the locale changed to {}", quote(locale)));
  setlocale(LC_ALL, locale_.c_str());
}

void ProcessState::restore_handler(int signal, Change& change) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if (same_handler(now, handlers_[signal])) { return; }
  const bool first = !std::exchange(handler_came_[signal], true);
  if (first && !comes_from_outside(signal)) {
    handlers_[signal] = now;
    return;
  }
  sigaction(signal, &handlers_[signal], nullptr);
  if (first) { return; }
  add_clause(change.clauses, fmt::format("left SIG{} {}", sigabbrev_np(signal), action_of(now)));
}

// A library may raise a limit for itself.
void ProcessState::restore_limit(int resource, Change& change) {
  const auto which = static_cast<__rlimit_resource>(resource);
  rlimit now{};
  getrlimit(which, &now);
  if (now.rlim_cur >= limits_[resource].rlim_cur) { return; }
  add_clause(change.clauses, fmt::format("left {} lowered", name_of_limit(resource)));
  if (setrlimit(which, &limits_[resource]) == 0) { return; }
  change.restored = false;
  limits_[resource] = now;
}

void ProcessState::restore_priority(Change& change) {
  const int now = getpriority(PRIO_PROCESS, 0);
  if (now == nice_) { return; }
  add_clause(change.clauses, fmt::format("left the nice value changed to {}", now));
  if (setpriority(PRIO_PROCESS, 0, nice_) == 0) { return; }
  change.restored = false;
  nice_ = now;
}

void ProcessState::restore_processors(Change& change) {
  cpu_set_t now{};
  if (sched_getaffinity(0, sizeof now, &now) != 0 || CPU_EQUAL(&now, &processors_)) { return; }
  sched_setaffinity(0, sizeof processors_, &processors_);
  if (!std::exchange(processors_came_, true)) { return; }
  add_clause(change.clauses, fmt::format("left its thread bound to {} of {} processors",
                                         CPU_COUNT(&now), CPU_COUNT(&processors_)));
}

}  // namespace assay
