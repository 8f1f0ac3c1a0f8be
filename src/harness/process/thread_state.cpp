#include "src/harness/process/thread_state.h"

#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::size_t kNamedSignals = 3;

std::string name_of(int signal) {
  const char* const abbreviation = sigabbrev_np(signal);
  return abbreviation != nullptr ? fmt::format("SIG{}", abbreviation)
                                 : fmt::format("signal {}", signal);
}

// "left SIGINT, SIGTERM and 3 more blocked"; "" for no signals.
std::string clause_of(const std::vector<int>& signals, const char* what) {
  if (signals.empty()) { return ""; }
  std::string names;
  for (std::size_t i = 0; i < signals.size() && i < kNamedSignals; ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(signals[i]));
  }
  if (signals.size() > kNamedSignals) {
    names += fmt::format(" and {} more", signals.size() - kNamedSignals);
  }
  return fmt::format("left {} {}", names, what);
}

void describe_mask(const sigset_t& before, const sigset_t& after, std::string& clauses) {
  std::vector<int> blocked, unblocked;
  for (int signal = 1; signal < NSIG; ++signal) {
    const int was = sigismember(&before, signal), is = sigismember(&after, signal);
    if (was == 0 && is == 1) { blocked.push_back(signal); }
    if (was == 1 && is == 0) { unblocked.push_back(signal); }
  }
  add_clause(clauses, clause_of(blocked, "blocked"));
  add_clause(clauses, clause_of(unblocked, "no longer blocked"));
}

}  // namespace

void add_clause(std::string& clauses, const std::string& clause) {
  if (clause.empty()) { return; }
  if (!clauses.empty()) { clauses += "; "; }
  clauses += clause;
}

ThreadState::ThreadState()
    : float_control_(float_control()), locale_(uselocale(static_cast<locale_t>(nullptr))) {
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
}

std::string ThreadState::restore() const {
  const FloatControl control = float_control();
  if (control != float_control_) { set_float_control(float_control_); }
  sigset_t blocked{};  // the system fills part of it
  pthread_sigmask(SIG_SETMASK, &blocked_, &blocked);
  std::string clauses;
  for (const std::string& clause : describe_change(float_control_, control)) {
    add_clause(clauses, clause);
  }
  if (std::memcmp(&blocked, &blocked_, sizeof blocked) != 0) {
    describe_mask(blocked_, blocked, clauses);
  }
  if (uselocale(static_cast<locale_t>(nullptr)) != locale_) {
    uselocale(locale_);
    add_clause(clauses, "left its thread with another locale");
  }
  return clauses;
}

}  // namespace assay
