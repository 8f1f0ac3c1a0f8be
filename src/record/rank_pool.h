// RankPool: other processes that take cases of a run as they come free; one process hands them out
// and keeps the record. How they reach each other is the caller's: MPI, in the command.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "src/campaign/run_profile.h"

namespace assay {

// Requires: the profile, the kernel and the options are those of the process that hands out.
// exchange sends what a case has shown, as a line of the record ("" at first), and answers the next
// case, or nothing at the end.
using Exchange = std::function<std::optional<Index>(const std::string& line)>;
// Sends what code this process has loaded so far, and at the end once more.
using TellCode = std::function<void(const CodeList& code)>;
struct RankLink {
  Exchange exchange;
  TellCode tell_code, tell_last_code;
};
// Errors: those of the kernel, the plan and the code, as of run_profile.
Status work_for_pool(const Profile& profile, const Registry& names, const OpenSession& open,
                     const RunProfileOptions& options, const RankLink& link);

}  // namespace assay
