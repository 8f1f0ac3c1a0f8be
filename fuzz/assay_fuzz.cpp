// assay-fuzz: what `assay fuzz` starts. The search of fuzz_kernel, but a wrong result does not end
// it: every line about to run, every failure and every so often the state of the search go, a line
// each, to the file descriptor that ASSAY_FUZZ_REPORT names.
//   run CASE
//   failure KIND CHECK CASE     (a few of each sort)
//   state RUNS FEATURES
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <unistd.h>

#include "fuzz/case_file.h"
#include "fuzz/features.h"
#include "fuzz/kernel_trial.h"
#include "fuzz/note.h"
#include "fuzz/target.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr int kFailuresOfASort = 3;
constexpr double kStateEverySeconds = 0.25;

class Report {
 public:
  Report() {
    const char* named = std::getenv("ASSAY_FUZZ_REPORT");
    descriptor_ = named != nullptr ? std::atoi(named) : STDOUT_FILENO;
  }
  // At once and whole, so that it is out when the next call crashes.
  void line(const std::string& text) {
    const std::string whole = text + '\n';
    if (write(descriptor_, whole.data(), whole.size()) < 0) {
      std::_Exit(1);  // nobody listens
    }
  }

 private:
  int descriptor_ = STDOUT_FILENO;
};

class Search {
 public:
  int run(std::string_view text) {
    const auto spec = parse_case_file(text);
    if (!spec || !is_within(*spec, trial_.space())) { return -1; }
    const std::string line = short_text(*spec);
    report_.line("run " + line);
    const Trial trial = trial_.run(*spec);
    ++runs_;
    if (trial.failed()) { report_failure(trial); }
    report_state();
    return 0;
  }

 private:
  void report_failure(const Trial& trial) {
    const std::string sort = std::string(trial.check->name) + message_words(trial.verdict.reason) +
                             std::string(name(trial.spec.pass));
    if (++failures_[sort] > kFailuresOfASort) { return; }
    report_.line("failure " + std::string(name(trial.verdict.kind)) + ' ' +
                 std::string(trial.check->name) + ' ' + short_text(trial.spec));
  }

  void report_state() {
    const double now = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    if (now < next_state_seconds_) { return; }
    next_state_seconds_ = now + kStateEverySeconds;
    report_.line("state " + std::to_string(runs_) + ' ' + std::to_string(features_reached()));
  }

  KernelTrial& trial_ = KernelTrial::from_environment();
  Report report_;
  std::map<std::string, int> failures_;
  Index runs_ = 0;
  double next_state_seconds_ = 0;
};

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static assay::Search search;
  return search.run({reinterpret_cast<const char*>(data), size});
}
