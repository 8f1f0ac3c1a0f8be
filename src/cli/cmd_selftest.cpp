// assay selftest: certifies planted defects; every one must be caught.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "src/certificate/defect_count.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/kernel_options.h"
#include "src/core/file.h"
#include "src/core/parallel.h"
#include "src/selftest/kill_matrix.h"
#include "src/selftest/mixups.h"
#include "src/selftest/rules.h"
#include "src/selftest/selftest.h"

namespace assay {
namespace {

// The build puts its lists beside the executable.
std::string default_list(bool gpu) {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return (executable.parent_path() / (gpu ? "gpu_defects" : "defects") / "defects.json").string();
}

constexpr Index kRoutingsPerMixup = 20;

// Cases of a profile take a fraction of a second: a planted hang need not last longer. A GPU is
// given the largest operands there are as well.
double deadline_seconds(bool gpu, bool legal) {
  constexpr double kHang = 3, kOnCpu = 5, kHangOnGpu = 10, kOnGpu = 30;
  return gpu ? (legal ? kOnGpu : kHangOnGpu) : (legal ? kOnCpu : kHang);
}

Result<std::vector<Defect>> ready_defects(const std::string& list, bool gpu,
                                          const Registry& names) {
  auto defects = load_defects(list.empty() ? default_list(gpu) : list, names);
  if (!defects || !gpu) { return defects; }
  // Without a GPU no defect would show: that is no result.
  const auto session = opener_of(defects->front().plugin)(deadline_seconds(true, true));
  ASSAY_TRY(session);
  return defects;
}

int print_rules(const CLI::App& app, const Profile& profile, const Registry& names) {
  auto session = open_worker_session("cpu");
  ASSAY_TRY_INPUT(app, session);
  const auto classes = test_rules(profile, names, (*session)->manifest());
  fmt::print("{}", rules_table(classes));
  return rules_hold(classes) ? kExitPassed : kExitFailed;
}

int print_mixups(const CLI::App& app) {
  auto session = open_worker_session("cpu");
  ASSAY_TRY_INPUT(app, session);
  const auto counts = try_mixups(**session, kRoutingsPerMixup, 1);
  fmt::print("{}", mixups_table(counts));
  const bool explained = std::all_of(
      counts.begin(), counts.end(), [](const MixupCount& count) { return count.unexplained == 0; });
  return explained ? kExitPassed : kExitFailed;
}

int print_matrix(const CLI::App& app, const std::vector<Defect>& defects, const Profile& profile,
                 const Registry& names, SelftestOptions options) {
  // A hanging defect hangs in most cases: one is enough, and it need not hang for long.
  options.certify.run.max_hung = 1;
  options.certify.run.deadline_seconds = 2;
  const auto matrix = make_kill_matrix(
      defects, profile, names, [](const std::string& plugin) { return opener_of(plugin); },
      options);
  ASSAY_TRY_INPUT(app, matrix);
  fmt::print("{}", kill_matrix_table(*matrix));
  return kExitPassed;
}

std::string counts_of(const std::vector<DefectResult>& results, const Profile& profile) {
  DefectCount count{.profile_sha256 = profile.sha256};
  for (const DefectResult& result : results) {
    if (result.defect.legal) { continue; }
    ++count.planted;
    count.caught += result.right;
  }
  return defect_count_json(count);
}

Status can_write_counts(const std::string& json, const SelftestOptions& options) {
  if (json.empty()) { return {}; }
  if (!options.filter.empty() || options.legal) {
    return make_error("--json: its counts are of all defects; leave out --filter and --legal");
  }
  return can_write_file(json);
}

struct Asked {
  std::string list, profile = "ci", json;
  bool gpu = false, rules = false, mixups = false, matrix = false;
};

void define(CLI::App& app, Asked& asked, SelftestOptions& options) {
  app.add_option("--defects", asked.list, "the list of plug-ins; default: the build's");
  app.add_flag("--gpu", asked.gpu,
               "defects of the GPU kernels, on a GPU (build target gpu_defects)");
  app.add_option("--profile", asked.profile, "quick, ci, ... or a path")->capture_default_str();
  app.add_option("--filter", options.filter, "regular expression: only defects that match");
  app.add_flag("--legal", options.legal,
               "only the legal variants, under the whole profile: all must pass");
  app.add_option("--json", asked.json, "the counts for `assay certify --selftest`: a file, or -");
  CLI::Option* const rules =
      app.add_flag("--rules", asked.rules, "test the acceptance rule on a profile's cases instead");
  CLI::Option* const mixups = app.add_flag("--mixups", asked.mixups,
                                           "hand every convention to a kernel told another instead")
                                  ->excludes(rules);
  app.add_flag("--matrix", asked.matrix,
               "which check catches which defect, the whole profile on each")
      ->excludes(rules)
      ->excludes(mixups);
  app.add_option("--jobs", options.certify.run.threads,
                 "workers at once; default: one a core, 16 on a GPU")
      ->check(whole_number(1, 1024));
}

}  // namespace

int run_selftest(const Words& words) {
  CLI::App app("Certifies kernels with a planted defect until each has its first finding.",
               "selftest");
  Asked asked;
  SelftestOptions options;
  define(app, asked, options);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  const Registry names = every_name();
  const auto profile = load_profile(asked.profile, names);
  ASSAY_TRY_INPUT(app, profile);
  if (asked.rules) { return print_rules(app, *profile, names); }
  if (asked.mixups) { return print_mixups(app); }
  ASSAY_TRY_INPUT(app, can_write_counts(asked.json, options));
  const auto defects = ready_defects(asked.list, asked.gpu, names);
  ASSAY_TRY_INPUT(app, defects);
  options.rule = asked.gpu ? SelftestRule::kCaught : SelftestRule::kExplained;
  options.certify.run.stop = interrupt_flag();
  if (asked.matrix) { return print_matrix(app, *defects, *profile, names, options); }
  options.side_by_side = !asked.gpu;
  if (options.side_by_side && options.certify.run.threads == 0) {
    options.certify.run.threads = available_threads();
  }
  options.certify.shrink = {.max_tries = 200, .max_seconds = 15};
  options.certify.run.deadline_seconds = deadline_seconds(asked.gpu, options.legal);
  options.done = [](const DefectResult& result) {
    fmt::print("{}", selftest_line(result));
    std::fflush(stdout);
  };
  const auto open = [](const std::string& plugin) { return opener_of(plugin); };
  auto results = run_selftest(*defects, *profile, names, open, options);
  ASSAY_TRY_INPUT(app, results);
  // False alarms are looked for as well, on fewer cases: `--legal` has the whole profile for that.
  // Each variant runs one of three shards of them, in turn.
  const bool with_legal = !options.legal && options.filter.empty();
  const auto quick = load_profile("quick", names);
  if (with_legal && quick) {
    options.legal = options.may_prove_nothing = true;
    options.parts = 3;
    options.certify.run.deadline_seconds = deadline_seconds(asked.gpu, true);
    const auto legal = run_selftest(*defects, *quick, names, open, options);
    ASSAY_TRY_INPUT(app, legal);
    results->insert(results->end(), legal->begin(), legal->end());
  }
  fmt::print("{}", selftest_summary(*results));
  if (options.certify.run.stop->load()) { return kExitIncomplete; }
  if (!asked.json.empty()) {
    ASSAY_TRY_INPUT(app, write_file(asked.json, counts_of(*results, *profile)));
  }
  return selftest_holds(*results, options.rule) ? kExitPassed : kExitFailed;
}

}  // namespace assay
