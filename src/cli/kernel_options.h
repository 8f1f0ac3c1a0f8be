// Opening a kernel as the command line names it.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "properties/check.h"
#include "src/campaign/run_profile.h"
#include "src/core/error.h"

namespace assay {

struct Opening {
  bool in_process = false;  // no worker process: for a debugger
  double load_seconds = SessionOptions{}.load_seconds;
};
// --load-seconds
void add_load_seconds(CLI::App& app, Opening& opening);

// Sessions of `kernel`, each in a worker process.
OpenSession opener_of(const std::string& kernel, const Opening& opening = {});

// The same, an incomplete manifest completed by a probe, which stderr is told of.
Result<OpenSession> complete_opener_of(const std::string& kernel, const Opening& opening = {});

// A check by name; "" is the whole judgement of a case: status, memory, every owned element.
// Errors: unknown name, with the nearest allowed ones.
Result<const Check*> check_named(const std::string& name);

// The words of a case joined and parsed.
Result<CaseSpec> case_of(const std::vector<std::string>& words);

}  // namespace assay
