// ThreadState: what a call has to leave in its thread as it found it: floating-point control,
// blocked signals, the thread's locale.
#pragma once

#include <locale.h>
#include <signal.h>
#include <string>

#include "src/harness/process/float_control.h"

namespace assay {

class ThreadState {
 public:
  ThreadState();  // as it is now
  // Puts back what differs by now, and names it: `left SIGINT blocked; left ...`, "" where nothing
  // does. Nothing that computes in floating point may come between the call and this.
  std::string restore() const;

 private:
  FloatControl float_control_;
  sigset_t blocked_{};
  locale_t locale_;
};

// Adds a clause to others, "; " between.
void add_clause(std::string& clauses, const std::string& clause);

}  // namespace assay
