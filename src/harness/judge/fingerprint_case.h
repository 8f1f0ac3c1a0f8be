// The fingerprint of a case (oracle/fingerprint/fingerprint.h), from the operands on the device
// where they stay there.
#pragma once

#include <string>

#include "oracle/fingerprint/fingerprint.h"
#include "src/harness/call/outcome.h"
#include "src/harness/call/session.h"
#include "src/problem/problem.h"

namespace assay {

// A matrix of products_of, within the operand that the kernel was given.
OperandMatrix operand_matrix(const Problem& problem, Index expert, oracle::Factor factor);

struct CaseFingerprintOptions {
  std::uint64_t seed = 0;  // drawn after the kernel has returned, never the case's seed
  int threads = 1;         // where the operands are not on a device
};
struct CaseFingerprint : oracle::FingerprintResult {
  // Crashed or hung: so the run ended after its call had returned, and nothing else counts.
  RunStatus status = RunStatus::kOk;
  std::string message{};
};
// Of the session's last run, which had RunOptions::operands_stay; then releases the operands.
CaseFingerprint check_fingerprint(Session& session, const Problem& problem, const Outcome& outcome,
                                  const CaseFingerprintOptions& options);

}  // namespace assay
