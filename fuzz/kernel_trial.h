// KernelTrial: one kernel run in this process on one case after another, each judged whole against
// the oracle, with features marked.
#pragma once

#include <memory>
#include <string>

#include "fuzz/mutate_case.h"
#include "properties/check.h"
#include "src/harness/call/session.h"

namespace assay {

// What one case showed: of a failure, the check that failed and the case that it ran.
struct Trial {
  const Check* check = nullptr;
  CaseSpec spec;
  Verdict verdict;

  bool failed() const;  // Failed, Crashed or Hung
};

class KernelTrial {
 public:
  // `cpu`, or the path of a shared object. Errors: as open_in_process_session.
  static Result<std::unique_ptr<KernelTrial>> open(const std::string& kernel);
  // The kernel that ASSAY_FUZZ_KERNEL names, else cpu; ends the process where it does not open.
  static KernelTrial& from_environment();

  const std::string& kernel() const { return session_->kernel_spec(); }
  const MutationSpace& space() const { return space_; }

  // Judges the case whole; where the manifest declares its arithmetic also bit by bit, and for one
  // seed in eight under a further check, which the seed chooses.
  // Requires: is_within(spec, space()).
  Trial run(const CaseSpec& spec);

 private:
  explicit KernelTrial(std::unique_ptr<Session> session);
  Trial run_check(const Check& check, const CaseSpec& spec);
  bool can_run(const Check& check, const CaseSpec& spec) const;

  std::unique_ptr<Session> session_;
  MutationSpace space_;
};

// What a fuzzer prints of a failure: what is wrong, the worst entry, the command that replays it.
std::string failure_text(const Trial& trial, const std::string& kernel);

}  // namespace assay
