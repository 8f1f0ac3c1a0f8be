// assay merge: the parts of one run, made by `assay certify --shard`, put together.
#include <unistd.h>

#include <fmt/format.h>

#include "src/certify/progress.h"
#include "src/certify/record/record_lines.h"
#include "src/certify/report_json.h"
#include "src/certify/report_text.h"
#include "src/cli/command.h"
#include "src/cli/finish_run.h"

namespace assay {

int run_merge(const Words& words) {
  CLI::App app("Puts the parts of a run together; verdict and files are those of one run.",
               "merge");
  std::vector<std::string> files;
  std::string out, sign;
  bool quiet = false;
  app.add_option("RUN", files, "NAME.part1of3.results.jsonl, and the other parts")->required();
  app.add_option("--out", out, "folder for results, certificate and report")
      ->envname("ASSAY_OUT")
      ->required();
  app.add_option("--sign", sign, "private key (PEM, Ed25519) for the certificate");
  app.add_flag("--quiet", quiet, "only what failed and the verdict");
  if (const auto exit = parse_words(app, words)) return *exit;
  const auto key = signing_key(sign);
  if (!key) return refuse_input(app, key.error().message);
  const BatteryNames names = every_name();
  std::vector<NamedRecord> parts;
  for (const std::string& file : files) {
    auto record = read_run(file, names);
    if (!record) return refuse_input(app, record.error().message);
    parts.push_back({file, std::move(*record)});
  }
  const auto merged = merge_runs(parts, names);
  if (!merged) return refuse_input(app, merged.error().message);
  const auto result = certification_of(*merged, names);
  if (!result) return refuse_input(app, result.error().message);
  if (const auto status = make_folder(out); !status)
    return refuse_input(app, status.error().message);
  const std::string path = record_path(out, merged->header.artifact, {});
  if (const auto status = write_report(path, run_text(*merged, names)); !status)
    return refuse_input(app, status.error().message);
  const TextStyle style{.colour = takes_colour(STDOUT_FILENO)};
  fmt::print("{}", quiet ? quiet_text(*result, style) : report_text(*result, style));
  if (const auto status = write_files(names, path, {.key = *key}); !status)
    return refuse_input(app, status.error().message);
  return exit_code_of(*result);
}

}  // namespace assay
