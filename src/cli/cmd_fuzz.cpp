// assay fuzz: a coverage-guided search for cases that a kernel gets wrong.
#include <unistd.h>

#include <fmt/format.h>

#include "src/campaign/progress.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/kernel_options.h"
#include "src/core/text.h"
#include "src/problem/recorded.h"
#include "src/report/report_text.h"
#include "src/search/fuzz_command.h"

namespace assay {
namespace {

struct FuzzWords {
  std::string kernel;
  std::string regressions;
  bool save_regressions = false;
  std::string time = "60s";
  FuzzOptions fuzz;
  Opening opening;
};

void define(CLI::App& app, FuzzWords& options) {
  app.add_option("KERNEL", options.kernel, "a built-in kernel (assay list kernels) or a path")
      ->required();
  app.add_option("--for", options.time, "how long: 60s, 5m or 2h")->capture_default_str();
  app.add_option(
      "--corpus", options.fuzz.corpus,
      "folder of cases to begin with, to which new ones are added; default: none is kept");
  app.add_flag("--save-regressions", options.save_regressions,
               "stores each finding as a case in corpus/regressions");
  app.add_option("--regressions", options.regressions, "another folder for them");
  app.add_option("--deadline", options.fuzz.deadline_seconds, "seconds that one call may take")
      ->check(positive_seconds())
      ->capture_default_str();
  add_load_seconds(app, options.opening);
  app.add_option("--max-findings", options.fuzz.max_findings, "findings explained at most")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", options.fuzz.seed, "of the search; default: another one each time")
      ->check(whole_number(0, 4294967295));
}

// `60s`, `5m`, `2h`, or seconds.
Result<double> seconds_of(const std::string& text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') { ++digits; }
  const std::string unit = text.substr(digits);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  constexpr std::size_t kMostDigits = 6;
  const bool is_number = digits > 0 && digits <= kMostDigits;
  const double seconds = is_number ? std::stod(text.substr(0, digits)) * factor : 0;
  if (!(seconds >= 1)) {
    return make_error(fmt::format("--for '{}' is not a time; allowed: 60s, 5m, 2h", text));
  }
  return seconds;
}

std::string state_text(const FuzzState& state) {
  return fmt::format("{:.0f} s  {} runs  {:.0f} runs/s  {} features  {} failures", state.seconds,
                     state.runs, state.runs_per_second(), state.features, state.failures);
}

Status print_findings(const FuzzResult& result, const FuzzWords& options) {
  const TextStyle style{.colour = takes_colour(STDOUT_FILENO)};
  const std::string folder =
      options.regressions.empty() ? corpus_folder() + "/regressions" : options.regressions;
  for (const FuzzFinding& found : result.findings) {
    fmt::print("\n{}", finding_text(options.kernel, found.finding, style));
    if (found.seen > 1) { fmt::print("  seen    {} times\n", found.seen); }
    if (!options.save_regressions || !found.confirmed) { continue; }
    const auto path = save_regression(folder, options.kernel, found);
    ASSAY_TRY(path);
    fmt::print("  kept    {}\n", one_line(*path));
  }
  return {};
}

constexpr double kDeadlineSeconds = 30;

}  // namespace

int run_fuzz(const Words& words) {
  CLI::App app("Searches for cases that a kernel gets wrong, guided by coverage.", "fuzz");
  FuzzWords options;
  define(app, options);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  const auto seconds = seconds_of(options.time);
  ASSAY_TRY_INPUT(app, seconds);
  options.fuzz.seconds = *seconds;
  if (!options.regressions.empty()) { options.save_regressions = true; }
  options.fuzz.stop = interrupt_flag();
  ProgressView view;
  options.fuzz.progress = [&](const FuzzState& state) {
    view.show(state.seconds, "  " + state_text(state), "fuzz: " + state_text(state));
  };
  if (auto session = opener_of(options.kernel, options.opening)(kDeadlineSeconds); session) {
    if (!(*session)->manifest().is_complete()) {
      return refuse_input(app, fmt::format("kernel '{}' declares too little to be fuzzed: `assay "
                                           "probe` prints what to declare",
                                           options.kernel));
    }
  }
  const auto result =
      fuzz_kernel(options.kernel, opener_of(options.kernel, options.opening), options.fuzz);
  view.clear();
  ASSAY_TRY_INPUT(app, result);
  ASSAY_TRY_INPUT(app, print_findings(*result, options));
  const bool interrupted = options.fuzz.stop->load();
  fmt::print("{}{}: {}, {} restarts, {} cases in the corpus, {} findings{}\n",
             result->findings.empty() ? "" : "\n", name_text(options.kernel),
             state_text(result->state), result->state.restarts, result->corpus_files,
             result->findings.size(), interrupted ? ": interrupted" : "");
  if (!result->findings.empty()) { return kExitFailed; }
  return interrupted || result->state.runs == 0 ? kExitIncomplete : kExitPassed;
}

}  // namespace assay
