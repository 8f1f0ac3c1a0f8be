#include "src/cli/finish_run.h"

#include <cstdio>

#include <fmt/format.h>

#include "src/certify/record/record_lines.h"
#include "src/cli/command.h"

namespace assay {

Result<std::optional<SigningKey>> signing_key(const std::string& path) {
  if (path.empty()) return std::optional<SigningKey>();
  auto key = SigningKey::load(path);
  if (!key) return tl::unexpected(key.error());
  return std::optional<SigningKey>(std::move(*key));
}

Status write_files(const BatteryNames& names, const std::string& record_file,
                   const OutputOptions& options) {
  const auto record = read_run(record_file, names);
  if (!record) return tl::unexpected(record.error());
  const auto written = write_outputs(record_file, *record, names, options);
  if (!written) return tl::unexpected(written.error());
  std::fflush(stdout);  // the verdict comes first where both go to one file
  for (const WrittenFile& file : *written) fmt::print(stderr, "{:<11} {}\n", file.what, file.path);
  return {};
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
