// The planted defects that a profile caught, as `assay selftest --json` writes it and a certificate
// carries it: how good the net was that the kernel passed through.
#pragma once

#include <string>

#include "src/certificate/certificate.h"

namespace assay {

std::string defect_count_json(const DefectCount& count);
// Errors: `file: ` with what is wrong; a count of another profile.
Result<DefectCount> load_defect_count(const std::string& file, const Profile& profile);

}  // namespace assay
