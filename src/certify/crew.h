// Crew: other processes that take cases of a run as they come free; one process hands them out and
// keeps the record. How they reach each other is the caller's: MPI, in the command.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "src/certify/run_profile.h"

namespace assay {

// Requires: the profile, the kernel and the options are those of the process that hands out.
// exchange sends what a case has shown, as a line of the record ("" at first), and answers the next
// case, or nothing at the end.
using Exchange = std::function<std::optional<Index>(const std::string& line)>;
Status work_for_crew(const Profile& profile, const BatteryNames& names, const OpenSession& open,
                     const RunProfileOptions& options, const Exchange& exchange);

}  // namespace assay
