// Kill matrix: which checks catch which planted defects, each check on its own; which checks are
// the only ones to catch something, and which catch nothing that another does not.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/selftest/selftest.h"

namespace assay {

struct KillRow {
  std::string defect;
  std::vector<bool> killed_by;  // of the matrix's checks
  std::string first_check{};    // the one that caught it first, and what it found wrong
  std::string first_aspect{};
};

struct KillMatrix {
  std::vector<std::string> checks;  // those of the profile that apply to the kernel
  std::vector<KillRow> rows;
};

// Runs the whole profile on every defect (legal variants left out), findings neither shrunk nor
// explained.
Result<KillMatrix> make_kill_matrix(const std::vector<Defect>& defects, const Profile& profile,
                                    const Registry& names,
                                    const std::function<OpenSession(const std::string&)>& open,
                                    const SelftestOptions& options);

std::string kill_matrix_table(const KillMatrix& matrix);

}  // namespace assay
