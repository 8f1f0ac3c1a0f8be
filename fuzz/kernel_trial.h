// KernelTrial: one kernel run in this process on one case after another, each judged whole against
// the oracle, with features marked.
#pragma once

#include <memory>
#include <string>

#include "fuzz/mutate_case.h"
#include "properties/check.h"
#include "src/harness/session.h"

namespace assay {

class KernelTrial {
 public:
  // `cpu`, or the path of a shared object. Errors: as open_in_process_session.
  static Result<std::unique_ptr<KernelTrial>> open(const std::string& kernel);
  // The kernel that ASSAY_FUZZ_KERNEL names, else cpu; ends the process where it does not open.
  static KernelTrial& from_environment();

  const std::string& kernel() const { return session_->kernel_spec(); }
  const MutationSpace& space() const { return space_; }

  // Requires: is_within(spec, space()).
  Verdict run(const CaseSpec& spec);

 private:
  explicit KernelTrial(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
  MutationSpace space_;
};

// Failed, Crashed or Hung.
bool is_failure(const Verdict& verdict);
// What a fuzzer prints of a failure: what is wrong, the worst entry, the command that replays it.
std::string failure_text(const CaseSpec& spec, const Verdict& verdict, const std::string& kernel);

}  // namespace assay
