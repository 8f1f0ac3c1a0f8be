// assay certify: a profile's cases on a kernel, judged, with every failure shrunk and explained.
#include <atomic>
#include <csignal>
#include <unistd.h>

#include <fmt/format.h>

#include "src/certify/progress.h"
#include "src/certify/report_json.h"
#include "src/certify/report_text.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/kernel_options.h"

namespace assay {
namespace {

struct Options {
  std::string kernel;
  std::string profile = "ci";
  std::string json;
  CertifyOptions certify;
};

void define(CLI::App& app, Options& options) {
  RunProfileOptions& run = options.certify.run;
  app.add_option("KERNEL", options.kernel, "a built-in kernel (assay list kernels) or a path")
      ->required();
  app.add_option("--profile", options.profile,
                 "quick, ci, full, soak or a path; ci or full certifies a CPU kernel")
      ->capture_default_str();
  app.add_option("--seed", run.seed_shift, "shifts every seed; the run then certifies nothing")
      ->check(whole_number(0, INT64_MAX));
  app.add_option("--json", options.json, "the report as JSON: a file, or - for stdout");
  app.add_option("--jobs", run.threads, "workers at once; default: one a core")
      ->check(whole_number(1, 1024));
  app.add_option("--budget", run.budget_seconds,
                 "seconds after which no case is begun; cut short, the run is Incomplete")
      ->check(positive_seconds());
  app.add_option("--filter", run.filter,
                 "regular expression: only checks that match; certifies nothing");
  app.add_option("--max-findings", run.max_findings_per_check,
                 "findings of a check after which it gets no more cases")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  app.add_option("--deadline", run.deadline_seconds, "seconds that one call may take")
      ->check(positive_seconds())
      ->capture_default_str();
}

int exit_code(Conclusion conclusion) {
  return conclusion == Conclusion::kPassed   ? kExitPassed
         : conclusion == Conclusion::kFailed ? kExitFailed
                                             : kExitIncomplete;
}

}  // namespace

int run_certify(const Words& words) {
  CLI::App app("Certifies a kernel: every case of a profile is run and judged.", "certify");
  Options options;
  define(app, options);
  if (const auto exit = parse_words(app, words)) return *exit;
  const BatteryNames names = every_name();
  const auto profile = load_profile(options.profile, names);
  if (!profile) return refuse_input(app, profile.error().message);
  if (!options.json.empty())
    if (const auto status = can_write_report(options.json); !status)
      return refuse_input(app, status.error().message);

  options.certify.run.stop = interrupt_flag();
  ProgressView view;
  options.certify.run.progress = [&](const Progress& progress) { view.show(progress); };
  const auto result =
      certify(options.kernel, *profile, names, opener_of(options.kernel), options.certify);
  view.clear();
  if (!result) return refuse_input(app, result.error().message);
  const bool json_to_stdout = options.json == "-";
  const TextStyle style{.colour = takes_colour(json_to_stdout ? STDERR_FILENO : STDOUT_FILENO)};
  fmt::print(json_to_stdout ? stderr : stdout, "{}", report_text(*result, style));
  if (!options.json.empty())
    if (const auto status = write_report(options.json, report_json(*result)); !status)
      return refuse_input(app, status.error().message);
  return exit_code(result->run.tally.conclusion);
}

}  // namespace assay
