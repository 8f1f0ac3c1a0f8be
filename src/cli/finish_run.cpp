#include "src/cli/finish_run.h"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "src/campaign/progress.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/report/report_json.h"
#include "src/report/report_text.h"

namespace assay {

Result<std::optional<SigningKey>> signing_key(const std::string& path) {
  if (path.empty()) { return std::optional<SigningKey>(); }
  auto key = SigningKey::load(path);
  ASSAY_TRY(key);
  return std::optional<SigningKey>(std::move(*key));
}

namespace {

Status write_files(const RunRecord& record, const Registry& names, const FinishOptions& options) {
  const auto written = write_outputs(options.record_file, record, names, options.outputs);
  ASSAY_TRY(written);
  std::fflush(stdout);  // the verdict comes first where both go to one file
  for (const WrittenFile& file : *written) {
    fmt::print(stderr, "{:<11} {}\n", file.what, one_line(file.path));
  }
  return {};
}

}  // namespace

int finish_run(const CLI::App& app, const RunRecord& record, const Registry& names,
               const FinishOptions& options) {
  const auto result = certification_of(record, names);
  ASSAY_TRY_INPUT(app, result);
  const bool json_to_stdout = options.json == "-";
  const TextStyle style{.colour = takes_colour(json_to_stdout ? STDERR_FILENO : STDOUT_FILENO)};
  fmt::print(json_to_stdout ? stderr : stdout, "{}",
             options.quiet ? quiet_text(*result, style) : report_text(*result, style));
  if (!options.json.empty()) {
    const std::string json = report_json(*result, record.header.environment);
    ASSAY_TRY_INPUT(app, write_file(options.json, json));
  }
  if (!options.record_file.empty()) { ASSAY_TRY_INPUT(app, write_files(record, names, options)); }
  return exit_code_of(*result);
}

int exit_code_of(const Certification& result) {
  switch (result.run.tally.conclusion) {
    case Conclusion::kPassed:
      return kExitPassed;
    case Conclusion::kFailed:
      return kExitFailed;
    case Conclusion::kIncomplete:
      break;
  }
  const bool part_done = !result.run.shard.whole() && result.run.cut_short.empty();
  return part_done ? kExitPassed : kExitIncomplete;
}

}  // namespace assay
