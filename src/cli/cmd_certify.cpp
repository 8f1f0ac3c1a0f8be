// assay certify: a profile's cases on a kernel, judged, with every failure shrunk and explained.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "src/campaign/progress.h"
#include "src/certificate/defect_count.h"
#include "src/certificate/outputs.h"
#include "src/cli/command.h"
#include "src/cli/finish_run.h"
#include "src/cli/interrupt.h"
#include "src/cli/kernel_options.h"
#include "src/cli/ranks.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/problem/case_list.h"
#include "src/record/run_writer.h"

namespace assay {
namespace {

struct CertifyWords {
  std::string kernel;
  std::string profile = "ci";
  std::string cases, json, out, shard, waive, sign, selftest;
  bool resume = false, quiet = false, replace = false;
  CertifyOptions certify;
  Opening opening;
};

CLI::Validator shard_of_n() {
  const auto check = [](std::string& word) -> std::string {
    if (parse_shard(word)) { return {}; }
    return fmt::format("{} is not a part i/n with 1 <= i <= n, such as 2/3", quote(word));
  };
  return CLI::Validator(check, "I/N");
}

void define(CLI::App& app, CertifyWords& options) {
  RunProfileOptions& run = options.certify.run;
  app.add_option("KERNEL", options.kernel, "a built-in kernel (assay list kernels) or a path")
      ->required();
  app.add_option("--profile", options.profile,
                 "quick, ci, peers, full, soak or a path; ci or full certifies a CPU kernel")
      ->capture_default_str();
  app.add_option("--cases", options.cases,
                 "a file of your own cases, one a line, or - for stdin; judged beside the "
                 "profile's: `assay import` makes one");
  app.add_option("--seed", run.seed_shift, "shifts every seed; the run then certifies nothing")
      ->check(whole_number(0, INT64_MAX));
  app.add_option("--json", options.json, "the report as JSON: a file, or - for stdout");
  app.add_option("--out", options.out,
                 "folder for results, certificate and report; ASSAY_OUT has the default")
      ->envname("ASSAY_OUT");
  app.add_flag("--replace", options.replace,
               "replace a certificate that covers more than this run");
  app.add_option("--sign", options.sign, "private key (PEM, Ed25519) for the certificate");
  app.add_option("--selftest", options.selftest,
                 "`assay selftest --json` of this profile, for the certificate");
  app.add_flag("--resume", options.resume, "go on with the unfinished run in --out");
  app.add_option("--shard", options.shard, "run part I of N; `assay merge` puts parts together")
      ->check(shard_of_n());
  app.add_option("--waive", options.waive, "known failures, JSON: `assay help waivers`");
  app.add_flag("--quiet", options.quiet, "no progress, and only what failed and the verdict");
  app.add_option("--jobs", run.threads, "workers at once; default: one a core, 16 on a GPU")
      ->check(whole_number(1, 1024));
  app.add_option("--budget", run.budget_seconds,
                 "seconds after which no case is begun; cut short, the run is Incomplete")
      ->check(positive_seconds());
  app.add_option(
         "--explain-seconds", options.certify.explain_seconds,
         "time limit for shrinking and explaining, in seconds; the findings left over stay as met")
      ->check(positive_seconds());
  app.add_option("--filter", run.filter,
                 "regular expression: only checks that match; certifies nothing");
  app.add_option("--max-findings", run.max_findings_per_check,
                 "findings of a check after which it gets no more cases")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  app.add_flag("--keep-going", run.keep_going,
               "judge all cases, whatever fails; the table counts those that failed");
  app.add_option("--deadline", run.deadline_seconds, "seconds that one call may take")
      ->check(positive_seconds())
      ->capture_default_str();
  add_load_seconds(app, options.opening);
}

// What the options say, checked before anything runs.
Status prepare(const CertifyWords& options, const Registry& names, Profile& profile,
               std::vector<Waiver>& waivers) {
  auto loaded = load_profile(options.profile, names);
  ASSAY_TRY(loaded);
  profile = std::move(*loaded);
  if (!options.cases.empty()) {
    const auto cases = load_case_list(options.cases);
    ASSAY_TRY(cases);
    add_own_cases(profile, *cases);
  }
  if (!options.waive.empty()) {
    auto known = load_waivers(options.waive, names);
    ASSAY_TRY(known);
    waivers = std::move(*known);
  }
  if (options.out.empty()) {
    if (options.resume) { return make_error("--resume needs --out, the folder of the run"); }
    if (!options.sign.empty()) {
      return make_error("--sign needs --out, the folder of the certificate");
    }
    if (!options.shard.empty()) {
      return make_error("--shard needs --out, for `assay merge` to read");
    }
  } else {
    ASSAY_TRY(make_folder(options.out));
  }
  return options.json.empty() ? Status{} : can_write_file(options.json);
}

// What a run does with the files that an earlier one has left in --out.
RunHooks hooks_of(const CertifyWords& options) {
  RunHooks hooks;
  if (!options.replace && !options.resume) {
    hooks.may_begin = [folder = options.out](const RunHeader& header, const Plan& plan) {
      return may_replace(folder, header, plan);
    };
  }
  hooks.begins = [folder = options.out](const RunHeader& header) {
    return remove_outputs(folder, header.artifact);
  };
  return hooks;
}

// The run's record: in --out, or in memory.
Result<std::unique_ptr<RunWriter>> writer_of(const CertifyWords& options, const Profile& profile,
                                             const std::vector<Waiver>& waivers,
                                             const Registry& names) {
  const auto artifact = artifact_of(options.kernel);
  ASSAY_TRY(artifact);
  const RunProfileOptions& run = options.certify.run;
  const bool to_folder = !options.out.empty();
  auto writer = std::make_unique<RunWriter>(
      to_folder ? record_path(options.out, *artifact, run.shard) : "", options.resume, names,
      to_folder ? hooks_of(options) : RunHooks{});
  RunHeader& header = writer->header();
  header.kernel = options.kernel;
  header.artifact = *artifact;
  header.profile = profile;
  header.seed_shift = run.seed_shift;
  header.filter = run.filter;
  header.max_findings_per_check = run.max_findings_per_check;
  header.keep_going = run.keep_going;
  header.shard = run.shard;
  header.waivers = waivers;
  return writer;
}

// The run itself, by the rank that keeps the record, and what it leaves. All that is said of it is
// read back from the record, as others will read it.
int certify_and_report(const CLI::App& app, CertifyWords& options, const Profile& profile,
                       const Registry& names, const OutputOptions& outputs) {
  const auto open = complete_opener_of(options.kernel, options.opening);
  ASSAY_TRY_INPUT(app, open);
  const auto writer = writer_of(options, profile, options.certify.run.waivers, names);
  ASSAY_TRY_INPUT(app, writer);
  options.certify.observer = writer->get();
  options.certify.sequences_folder = options.out;
  ProgressView view;
  if (!options.quiet) {
    options.certify.run.progress = [&](const Progress& progress) { view.show(progress); };
  }
  const auto run = certify(options.kernel, profile, names, *open, options.certify);
  view.clear();
  ASSAY_TRY_INPUT(app, run);
  const auto record = (*writer)->record();
  ASSAY_TRY_INPUT(app, record);
  const std::string file = options.out.empty() ? "" : (*writer)->path();
  return finish_run(
      app, *record, names,
      {.record_file = file, .json = options.json, .quiet = options.quiet, .outputs = outputs});
}

// What all ranks must agree in.
Result<std::string> run_in_words(const CertifyWords& options, const Profile& profile) {
  const auto artifact = artifact_of(options.kernel);
  ASSAY_TRY(artifact);
  const RunProfileOptions& run = options.certify.run;
  return fmt::format("{} {} {} {} {} {} {}/{}", artifact->name, artifact->sha256, profile.sha256,
                     own_cases_sha256(profile), run.seed_shift, run.filter, run.shard.part,
                     run.shard.parts);
}

// One of several ranks: the first keeps the record, the others run cases for it.
int certify_among(Ranks& ranks, const CLI::App& app, CertifyWords& options, const Profile& profile,
                  const Registry& names, const OutputOptions& outputs) {
  RunProfileOptions& run = options.certify.run;
  const auto what = run_in_words(options, profile);
  ASSAY_TRY_INPUT(app, what);
  if (ranks.rank() > 0) {
    const auto open = complete_opener_of(options.kernel, options.opening);
    ASSAY_TRY_INPUT(app, open);
    const Status status = work_for_pool(profile, names, *open, run, ranks.link(*what));
    return status ? kExitPassed : refuse_input(app, status.error().message);
  }
  ranks.expect(*what);
  run.server = ranks.server();
  if (run.threads == 0) {
    run.threads = 1;  // as every rank: mpirun says how many there are
  }
  return certify_and_report(app, options, profile, names, outputs);
}

}  // namespace

int run_certify(const Words& words) {
  CLI::App app("Certifies a kernel: every case of a profile is run and judged.", "certify");
  CertifyWords options;
  define(app, options);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  const Registry names = every_name();
  Profile profile;
  RunProfileOptions& run = options.certify.run;
  ASSAY_TRY_INPUT(app, prepare(options, names, profile, run.waivers));
  const auto key = signing_key(options.sign);
  ASSAY_TRY_INPUT(app, key);
  OutputOptions outputs{.key = *key};
  if (!options.selftest.empty()) {
    const auto count = load_defect_count(options.selftest, profile);
    ASSAY_TRY_INPUT(app, count);
    outputs.defects = *count;
  }
  if (const auto shard = parse_shard(options.shard)) { run.shard = *shard; }
  run.today = utc_now().substr(0, 10);
  run.stop = interrupt_flag();
  Ranks ranks;
  if (!ranks.several()) { return certify_and_report(app, options, profile, names, outputs); }
  const int exit = certify_among(ranks, app, options, profile, names, outputs);
  if (exit == kExitBadInput) {
    ranks.abandon(exit);  // the others would wait for ever
  }
  return exit;
}

}  // namespace assay
