// ProcessState: what a call has to leave in its process as it found it: working directory, umask,
// environment, locale, signal handlers, limits, nice value, processors.
#pragma once

#include <array>
#include <functional>
#include <sched.h>
#include <set>
#include <signal.h>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace assay {

class ProcessState {
 public:
  // From now on this is what calls have to leave. Requires: the thread that makes the calls.
  void keep();
  struct Change {
    std::string clauses;   // `left the working directory changed to '/'; left ...`, "": nothing
    bool restored = true;  // false: the process cannot be as it was
  };
  // Puts back what differs by now, and names it. A library that a call loads may bring a handler, a
  // variable or a choice of processors, once: of each of these the first change goes without a
  // word. Those that cost a system call each (handlers, limits, nice value, processors) are looked
  // at after the first two calls, and then one a call in turn.
  Change restore();

 private:
  struct Variable {
    const char* place = nullptr;  // that of the environment's entry
    std::string text;             // NAME=value
  };

  void keep_environment();
  void restore_folder(Change& change);
  void restore_umask(Change& change) const;
  void restore_environment(Change& change);
  void restore_locale(Change& change) const;
  void restore_handler(int signal, Change& change);
  void restore_limit(int resource, Change& change);
  void restore_priority(Change& change);
  void restore_processors(Change& change);
  void restore_in_turn(int turn, Change& change);
  bool environment_is_kept() const;

  std::string folder_;
  unsigned umask_ = 0;
  std::vector<Variable> environment_;
  std::string locale_;
  std::array<struct sigaction, 32> handlers_{};
  std::array<rlimit, RLIM_NLIMITS> limits_{};
  int nice_ = 0;
  cpu_set_t processors_{};
  int looks_ = 0;
  std::array<bool, 32> handler_came_{};
  std::set<std::string, std::less<>> variables_came_;
  bool processors_came_ = false;
};

}  // namespace assay
