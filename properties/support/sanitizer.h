// compute-sanitizer, run on cases of a kernel in a process of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

inline constexpr std::string_view kSanitizerTools[] = {"memcheck", "racecheck", "initcheck",
                                                       "synccheck"};

// $ASSAY_SANITIZER, else compute-sanitizer on the PATH, else the toolkit's usual place; "": none.
std::string find_sanitizer();

struct SanitizerRun {
  bool ran = false;      // the tool worked, and every case was judged right
  bool silent = false;   // and it had nothing to report
  std::string report{};  // the first line of its reports, or why it did not run
};

// Runs `assay run --in-process` on the cases under one tool. `command` is the assay executable.
SanitizerRun run_sanitizer(const std::string& sanitizer, std::string_view tool,
                           const std::string& command, const std::string& kernel,
                           std::span<const CaseSpec> cases);

// What the tool printed and its exit status, as run_sanitizer reads them.
SanitizerRun read_sanitizer(const std::string& output, int exit_status);

}  // namespace assay
