// Certifying a kernel: run the profile, shrink and explain every failure.
#pragma once

#include <string>
#include <vector>

#include "src/certify/diagnose.h"
#include "src/certify/run_profile.h"
#include "src/certify/shrink.h"

namespace assay {

struct Finding {
  const Check* check = nullptr;
  CaseSpec original;
  CaseSpec shrunk;
  Verdict verdict{};  // of the shrunk case
  Index shrink_tries = 0;
  Diagnosis diagnosis{};
  std::string replay{};  // the command that shows it again
};

struct CertifyOptions {
  RunProfileOptions run;
  ShrinkLimits shrink;
  double hung_shrink_deadline_seconds = 3;  // shorter: smaller cases are tried
  bool explain = true;  // shrink and diagnose; else findings are as they were met
};

struct Certification {
  std::string kernel;              // as the user wrote it
  std::string profile;             // its name
  bool profile_certifies = false;  // this profile, run whole, certifies kernels of this device
  ProfileRun run{};
  std::vector<Finding> findings{};

  bool certified() const {
    return run.tally.conclusion == Conclusion::kPassed && profile_certifies && run.whole_profile;
  }
};

Result<Certification> certify(const std::string& kernel, const Profile& profile,
                              const BatteryNames& names, const OpenSession& open,
                              const CertifyOptions& options);

// Shrinks and explains one failure in a session of its own.
Finding explain(const std::string& kernel, const Failure& failure, const OpenSession& open,
                const CertifyOptions& options);

std::string replay_command(const std::string& kernel, const CaseSpec& spec, std::string_view check);

}  // namespace assay
