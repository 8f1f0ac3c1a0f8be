// Outputs: the files that a finished run leaves beside its record: certificate and report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/certify/certificate/certificate.h"
#include "src/certify/certificate/signing.h"
#include "src/certify/record/run_record.h"

namespace assay {

// Written for a whole run; // Errors: a file that cannot be written.
struct WrittenFile {
  std::string what{};  // results, report, junit, certificate
  std::string path{};
};
struct OutputOptions {
  std::optional<SigningKey> key{};
  std::optional<DefectCount> defects{};
};
Result<std::vector<WrittenFile>> write_outputs(const std::string& record_file,
                                               const RunRecord& record, const BatteryNames& names,
                                               const OutputOptions& options = {});

}  // namespace assay
