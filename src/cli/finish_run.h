// What certify and merge do once a run is whole: verdict to the terminal, files beside the record,
// exit code.
#pragma once

#include <optional>
#include <string>

#include "src/certify/outputs.h"
#include "src/certify/record/run_record.h"

namespace assay {

// The key in `path`; nothing for "". Errors: as SigningKey::load.
Result<std::optional<SigningKey>> signing_key(const std::string& path);

// Certificate and report, from the record as it was written: another process would make the same.
Status write_files(const BatteryNames& names, const std::string& record_file,
                   const OutputOptions& options);

// 0 for a part of a run that found nothing: it has done what was asked of it.
int exit_code_of(const Certification& result);

}  // namespace assay
