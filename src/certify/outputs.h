// Outputs: the files that a finished run leaves beside its record: certificate and report.
#pragma once

#include <string>
#include <vector>

#include "src/certify/certificate/signing.h"
#include "src/certify/record/run_record.h"

namespace assay {

// Written for a whole run; what is missing there is missing from `written`. key may be null.
// Errors: a file that cannot be written.
struct WrittenFile {
  std::string what{};  // results, report, junit, certificate
  std::string path{};
};
Result<std::vector<WrittenFile>> write_outputs(const std::string& record_file,
                                               const RunRecord& record, const BatteryNames& names,
                                               const SigningKey* key);

}  // namespace assay
