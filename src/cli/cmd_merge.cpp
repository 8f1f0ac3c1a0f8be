// assay merge: joins the shards of one run, made by `assay certify --shard`.
#include "src/cli/command.h"
#include "src/cli/finish_run.h"
#include "src/core/file.h"
#include "src/record/record_lines.h"
#include "src/record/record_lock.h"

namespace assay {
namespace {

struct Place {
  std::string record_file;
  RecordLock lock;
};

// The merged record's place in `out`, free of what an earlier run has left there.
Result<Place> place_of(const RunRecord& merged, const Registry& names, const std::string& out,
                       bool replace) {
  const auto plan = plan_of(merged.header, names);
  ASSAY_TRY(plan);
  ASSAY_TRY(make_folder(out));
  if (!replace) { ASSAY_TRY(may_replace(out, merged.header, *plan)); }
  const std::string file = record_path(out, merged.header.artifact, {});
  auto lock = RecordLock::take(file);
  ASSAY_TRY(lock);
  ASSAY_TRY(remove_outputs(out, merged.header.artifact));
  return Place{file, std::move(*lock)};
}

}  // namespace

int run_merge(const Words& words) {
  CLI::App app("Merges the shards of a run; verdict and files are those of one run.", "merge");
  std::vector<std::string> files;
  std::string out, sign;
  bool quiet = false, replace = false;
  app.add_option("RUN", files, "NAME.part1of3.results.jsonl, and the other parts")->required();
  app.add_option("--out", out, "folder for results, certificate and report")
      ->envname("ASSAY_OUT")
      ->required();
  app.add_option("--sign", sign, "private key (PEM, Ed25519) for the certificate");
  app.add_flag("--replace", replace, "let it take the place of a certificate that says more");
  app.add_flag("--quiet", quiet, "only what failed and the verdict");
  if (const auto exit = parse_words(app, words)) { return *exit; }
  const auto key = signing_key(sign);
  ASSAY_TRY_INPUT(app, key);
  const Registry names = every_name();
  std::vector<NamedRecord> parts;
  for (const std::string& file : files) {
    auto record = read_run(file, names);
    ASSAY_TRY_INPUT(app, record);
    parts.push_back({file, std::move(*record)});
  }
  const auto merged = merge_runs(parts, names);
  ASSAY_TRY_INPUT(app, merged);
  const auto place = place_of(*merged, names, out, replace);
  ASSAY_TRY_INPUT(app, place);
  ASSAY_TRY_INPUT(app, write_file(place->record_file, run_text(*merged, names)));
  return finish_run(app, *merged, names,
                    {.record_file = place->record_file, .quiet = quiet, .outputs = {.key = *key}});
}

}  // namespace assay
