// Outputs: the files that a finished run leaves beside its record: certificate and report; and what
// becomes of those of an earlier run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/certificate/certificate.h"
#include "src/certificate/signing.h"
#include "src/record/run_record.h"

namespace assay {

struct WrittenFile {
  std::string what{};  // results, report, junit, certificate
  std::string path{};
};
struct OutputOptions {
  std::optional<SigningKey> key{};
  std::optional<DefectCount> defects{};
};
// Errors: a file that cannot be written.
Result<std::vector<WrittenFile>> write_outputs(const std::string& record_file,
                                               const RunRecord& record, const Registry& names,
                                               const OutputOptions& options = {});

// A run must not lose a certificate without being told to: one that certifies less than the
// certificate in `folder`, by a lesser profile or off its profile, is refused.
Status may_replace(const std::string& folder, const RunHeader& header, const Plan& plan);
// Removes what an earlier run of the kernel has left in `folder`, all but its record: it would pass
// for this one's. Errors: a file that cannot be removed.
Status remove_outputs(const std::string& folder, const Artifact& artifact);

}  // namespace assay
