// assay certify: a profile's cases on a kernel, judged, with every failure shrunk and explained.
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

#include "src/certify/outputs.h"
#include "src/certify/progress.h"
#include "src/certify/record/record_lines.h"
#include "src/certify/record/run_writer.h"
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
  std::string json, out, shard, waive, sign;
  bool resume = false, quiet = false;
  CertifyOptions certify;
};

CLI::Validator shard_of_n() {
  const auto check = [](std::string& word) -> std::string {
    if (parse_shard(word)) return {};
    return fmt::format("'{}' is no part i/n with 1 <= i <= n, such as 2/3", word);
  };
  return CLI::Validator(check, "I/N");
}

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
  app.add_option("--out", options.out,
                 "folder for results, certificate and report; ASSAY_OUT has the default")
      ->envname("ASSAY_OUT");
  app.add_option("--sign", options.sign, "private key (PEM, Ed25519) for the certificate");
  app.add_flag("--resume", options.resume, "go on with the unfinished run in --out");
  app.add_option("--shard", options.shard, "run part I of N; `assay merge` puts parts together")
      ->check(shard_of_n());
  app.add_option("--waive", options.waive, "known failures, JSON: `assay help waivers`");
  app.add_flag("--quiet", options.quiet, "no progress, and only what failed and the verdict");
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

// What the options say, checked before anything runs.
Status prepare(const Options& options, const BatteryNames& names, Profile& profile,
               std::vector<Waiver>& waivers) {
  auto loaded = load_profile(options.profile, names);
  if (!loaded) return tl::unexpected(loaded.error());
  profile = std::move(*loaded);
  if (!options.waive.empty()) {
    auto known = load_waivers(options.waive, names);
    if (!known) return tl::unexpected(known.error());
    waivers = std::move(*known);
  }
  if (options.out.empty()) {
    if (options.resume) return refuse("--resume needs --out, the folder of the run");
    if (!options.sign.empty()) return refuse("--sign needs --out, the folder of the certificate");
    if (!options.shard.empty()) return refuse("--shard needs --out, for `assay merge` to read");
  } else if (const auto status = make_folder(options.out); !status) {
    return status;
  }
  return options.json.empty() ? Status{} : can_write_report(options.json);
}

// The run's record in --out, or nothing to write where none is asked for.
Result<std::unique_ptr<RunWriter>> writer_of(const Options& options, const Profile& profile,
                                             const std::vector<Waiver>& waivers,
                                             const BatteryNames& names) {
  if (options.out.empty()) return std::unique_ptr<RunWriter>();
  const auto artifact = artifact_of(options.kernel);
  if (!artifact) return tl::unexpected(artifact.error());
  const RunProfileOptions& run = options.certify.run;
  auto writer = std::make_unique<RunWriter>(record_path(options.out, *artifact, run.shard),
                                            options.resume, names);
  RunHeader& header = writer->header();
  header.kernel = options.kernel;
  header.artifact = *artifact;
  header.profile = profile;
  header.seed_shift = run.seed_shift;
  header.filter = run.filter;
  header.max_findings_per_check = run.max_findings_per_check;
  header.shard = run.shard;
  header.waivers = waivers;
  return writer;
}

// Certificate and report, from the record as it was written: another process would make the same.
Status finish(const BatteryNames& names, const std::string& record_file, const SigningKey* key) {
  const auto record = read_run(record_file, names);
  if (!record) return tl::unexpected(record.error());
  const auto written = write_outputs(record_file, *record, names, key);
  if (!written) return tl::unexpected(written.error());
  for (const WrittenFile& file : *written) fmt::print(stderr, "{:<11} {}\n", file.what, file.path);
  return {};
}

// A part of a run that found nothing has done what was asked of it.
int exit_of(const Certification& result) {
  const bool done = !result.run.shard.whole() && result.run.cut_short.empty();
  return done && result.run.tally.conclusion == Conclusion::kIncomplete
             ? kExitPassed
             : exit_code(result.run.tally.conclusion);
}

}  // namespace

int run_certify(const Words& words) {
  CLI::App app("Certifies a kernel: every case of a profile is run and judged.", "certify");
  Options options;
  define(app, options);
  if (const auto exit = parse_words(app, words)) return *exit;
  const BatteryNames names = every_name();
  Profile profile;
  RunProfileOptions& run = options.certify.run;
  if (const auto status = prepare(options, names, profile, run.waivers); !status)
    return refuse_input(app, status.error().message);
  std::optional<SigningKey> key;
  if (!options.sign.empty()) {
    auto loaded = SigningKey::load(options.sign);
    if (!loaded) return refuse_input(app, loaded.error().message);
    key = std::move(*loaded);
  }
  if (const auto shard = parse_shard(options.shard)) run.shard = *shard;
  run.today = utc_now().substr(0, 10);
  const auto writer = writer_of(options, profile, run.waivers, names);
  if (!writer) return refuse_input(app, writer.error().message);
  options.certify.observer = writer->get();

  run.stop = interrupt_flag();
  ProgressView view;
  if (!options.quiet) run.progress = [&](const Progress& progress) { view.show(progress); };
  const auto result =
      certify(options.kernel, profile, names, opener_of(options.kernel), options.certify);
  view.clear();
  if (!result) return refuse_input(app, result.error().message);
  const bool json_to_stdout = options.json == "-";
  const TextStyle style{.colour = takes_colour(json_to_stdout ? STDERR_FILENO : STDOUT_FILENO)};
  fmt::print(json_to_stdout ? stderr : stdout, "{}",
             options.quiet ? quiet_text(*result, style) : report_text(*result, style));
  if (!options.json.empty())
    if (const auto status = write_report(options.json, report_json(*result)); !status)
      return refuse_input(app, status.error().message);
  if (*writer)
    if (const auto status = finish(names, (*writer)->path(), key ? &*key : nullptr); !status)
      return refuse_input(app, status.error().message);
  return exit_of(*result);
}

}  // namespace assay
