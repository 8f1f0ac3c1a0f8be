// What certify and merge do once a run is whole: verdict to the terminal, files beside the record,
// exit code.
#pragma once

#include <optional>
#include <string>

#include "src/certificate/outputs.h"
#include "src/cli/command.h"
#include "src/record/run_record.h"

namespace assay {

// The key in `path`; nothing for "". Errors: as SigningKey::load.
Result<std::optional<SigningKey>> signing_key(const std::string& path);

struct FinishOptions {
  std::string record_file{};  // "": no files beside it
  std::string json{};         // as --json
  bool quiet = false;
  OutputOptions outputs{};
};
// Says what the record amounts to, in every form from the record alone: whoever reads it later is
// told the same. Returns the exit code.
int finish_run(const CLI::App& app, const RunRecord& record, const Registry& names,
               const FinishOptions& options);

// 0 for a part of a run that found nothing: it has done what was asked of it.
int exit_code_of(const Certification& result);

}  // namespace assay
