// assay merge: joins the shards of one run, made by `assay certify --shard`.
#include <algorithm>

#include <fmt/format.h>

#include "src/cli/command.h"
#include "src/cli/finish_run.h"
#include "src/core/file.h"
#include "src/core/text.h"
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

// What the profile certifies is said by its file, as for `assay verify`; a record may say anything.
Status take_claims(const std::string& named, const Registry& names, Profile& recorded) {
  const auto profile = load_profile(named.empty() ? recorded.name : named, names);
  if (!profile) {
    return make_error(fmt::format("{}; --profile names the file", profile.error().message));
  }
  if (profile->sha256 != recorded.sha256) {
    return make_error(fmt::format("the profile {} has the SHA-256 {}, the record's {}",
                                  name_text(profile->name), profile->sha256, recorded.sha256));
  }
  const auto drawn = [](const Profile& of) {
    std::vector<ProfileLine> lines = of.lines;
    std::erase_if(lines, [](const ProfileLine& line) { return line.generator == kGiven; });
    return lines;
  };
  const auto& own = recorded.own_cases;
  const bool has_own =
      own.size() >= profile->own_cases.size() &&
      std::equal(profile->own_cases.begin(), profile->own_cases.end(), own.begin());
  if (drawn(*profile) != drawn(recorded) || !has_own) {
    return make_error(fmt::format("the record's lines are not those of the profile {}",
                                  name_text(profile->name)));
  }
  recorded.certifies_cpu = profile->certifies_cpu;
  recorded.certifies_cuda = profile->certifies_cuda;
  return {};
}

}  // namespace

int run_merge(const Words& words) {
  CLI::App app("Merges the shards of a run; verdict and files are those of one run.", "merge");
  std::vector<std::string> files;
  std::string out, sign, profile;
  bool quiet = false, replace = false;
  app.add_option("RUN", files, "NAME.part1of3.results.jsonl, and the other parts")->required();
  app.add_option("--out", out, "folder for results, certificate and report")
      ->envname("ASSAY_OUT")
      ->required();
  app.add_option("--profile", profile, "the profile's file; default: Assay's own of that name");
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
  auto merged = merge_runs(parts, names);
  ASSAY_TRY_INPUT(app, merged);
  ASSAY_TRY_INPUT(app, take_claims(profile, names, merged->header.profile));
  const auto place = place_of(*merged, names, out, replace);
  ASSAY_TRY_INPUT(app, place);
  ASSAY_TRY_INPUT(app, write_file(place->record_file, run_text(*merged, names)));
  return finish_run(app, *merged, names,
                    {.record_file = place->record_file, .quiet = quiet, .outputs = {.key = *key}});
}

}  // namespace assay
