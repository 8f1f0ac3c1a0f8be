// Fuzzing a kernel: a coverage-guided search in a process of its own, whose failures are confirmed
// in a worker, shrunk, explained, and counted once for each check and diagnosis.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "src/campaign/certify.h"

namespace assay {

struct FuzzState {
  Index runs = 0;
  Index features = 0;
  Index failures = 0;  // as met: neither confirmed nor told apart
  Index restarts = 0;  // after a crash or a hang
  double seconds = 0;

  double runs_per_second() const { return seconds > 0 ? static_cast<double>(runs) / seconds : 0; }
};

struct FuzzOptions {
  double seconds = 60;
  std::string corpus;  // folder of case files, read and added to; "": none is kept
  double deadline_seconds = 10;
  Index max_findings = 20;
  std::uint64_t seed = 0;  // 0: libFuzzer's choice
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const FuzzState&)> progress;
  ShrinkLimits shrink;
};

struct FuzzFinding {
  Finding finding;
  Index seen = 1;          // failures that came to the same check and diagnosis
  bool confirmed = false;  // false: fails only after earlier calls, in the searching process
};

struct FuzzResult {
  FuzzState state;
  Index corpus_files = 0;
  std::vector<FuzzFinding> findings;
};

// Errors: no fuzzer was built, a kernel that does not open, a folder that cannot be used.
Result<FuzzResult> fuzz_kernel(const std::string& kernel, const OpenSession& open,
                               const FuzzOptions& options);

// Writes the shrunk case into folder, named <check>_<diagnosis>_<kernel>.case, with comment lines
// that say what it was; returns the path. A file with the same case is left alone.
Result<std::string> save_regression(const std::string& folder, const std::string& kernel,
                                    const FuzzFinding& finding);

}  // namespace assay
