// Certifying a kernel: run the profile, shrink and explain every failure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/campaign/run_profile.h"
#include "src/campaign/shrink.h"
#include "src/diagnosis/diagnose.h"
#include "src/diagnosis/tile_map.h"

namespace assay {

struct Finding {
  const Check* check = nullptr;        // by which the case below fails
  std::vector<const Check*> checks{};  // all that met it, that one first
  CaseSpec original;
  CaseSpec shrunk;
  Verdict verdict{};  // of the shrunk case
  Index shrink_tries = 0;
  Diagnosis diagnosis{};
  std::vector<std::string> before{};  // the runs that it needs before, as --before takes them
  std::string replay{};               // the command that shows it again
  std::optional<TileMap> tiles{};     // of the original case, where its output is wrong
};

// Sees findings, too, and the end.
class CertifyObserver : public RunObserver {
 public:
  // How an earlier, unfinished run has explained a failure; null: it has not.
  virtual const Finding* known_finding(Index job) const = 0;
  virtual Status explained(Index job, const Finding& finding) = 0;
  virtual Status ended(const ProfileRun& run) = 0;
};

struct CertifyOptions {
  RunProfileOptions run;
  ShrinkLimits shrink;
  double hung_shrink_deadline_seconds = 3;  // shorter: smaller cases are tried
  double hung_deadline_seconds = 0;         // under which a smaller case has to hang; 0: the run's
  bool explain = true;             // shrink and diagnose; else findings are as they were met
  double explain_seconds = 0;      // after which findings stay as they are by then; 0: no limit
  std::string sequences_folder{};  // for what is too long for a command; "": a temporary one
  CertifyObserver* observer = nullptr;  // also the run's
};

struct Certification {
  std::string kernel;              // as the user wrote it
  std::string profile;             // its name
  bool profile_certifies = false;  // this profile, run whole, certifies kernels of this device
  ProfileRun run{};
  std::vector<Finding> findings{};  // one a cause
  double explain_seconds = 0;       // taken

  bool certified() const {
    return run.tally.conclusion == Conclusion::kPassed && run.tally.waived() == 0 &&
           profile_certifies && run.whole_profile;
  }
};

Result<Certification> certify(const std::string& kernel, const Profile& profile,
                              const Registry& names, const OpenSession& open,
                              const CertifyOptions& options);

// A failure that is neither shrunk nor explained.
Finding as_met(const std::string& kernel, const Failure& failure);

// Shrinks and explains one failure in a session of its own.
Finding explain(const std::string& kernel, const Failure& failure, const OpenSession& open,
                const CertifyOptions& options);

std::string own_command();  // how the user started this program: `assay`, `./run assay`
std::string replay_command(const std::string& kernel, const CaseSpec& spec, std::string_view check);

}  // namespace assay
