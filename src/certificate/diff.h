// Comparing two certificates or runs: what is new, fixed, worse, or missing on one side.
#pragma once

#include <string>
#include <vector>

#include "src/certificate/certificate.h"

namespace assay {

// One check on both sides; an empty status: not listed there.
struct CheckChange {
  std::string check{}, before{}, after{};
  Index cases_before = 0, cases_after = 0;
  double ratio_before = 0, ratio_after = 0;  // worst error over bound
  std::string case_after{};                  // of the worst one
};

struct Difference {
  std::vector<std::string> identity{};  // artifact, profile, harness, GPU: `what: A | B`
  std::vector<CheckChange> broken{};    // was not failing, fails
  std::vector<CheckChange> fixed{};     // failed, passes
  std::vector<CheckChange> lost{};      // passed and is not judged any more, or not listed
  std::vector<CheckChange> gained{};    // not judged or not listed before, passes
  std::vector<CheckChange> worse{};     // error over bound grew, or fewer cases
  std::vector<CheckChange> better{};
  Index same = 0;
  std::vector<std::string>
      measured{};  // figures on both sides; better or worse is nobody's verdict

  bool holds() const { return broken.empty() && lost.empty() && worse.empty(); }
};

Difference difference_of(const Certificate& before, const Certificate& after);
// The last line is `N new, N fixed, N lost, N worse, N better, N the same`.
std::string difference_text(const Difference& difference);

// A certificate, or a run or folder of one, which is then taken as the certificate it amounts to.
// Errors: as parse_certificate and read_run.
Result<Certificate> load_comparable(const std::string& path, const Registry& names);

}  // namespace assay
