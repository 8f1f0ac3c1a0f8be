// What the harness's tests share: problems from case lines, sessions of the test plug-ins.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "src/harness/call/session.h"
#include "src/problem/problem.h"

namespace assay {

// Aborts on a line that parse_case refuses.
Problem problem_of(std::string_view line);

// The path of tests/harness/plugins/<name> as built.
std::string plugin(std::string_view name);
// Aborts when the kernel does not load.
std::unique_ptr<Session> worker_of(std::string_view plugin_name, double deadline_seconds = 20);
SessionOptions worker_options(double deadline_seconds = 20);

}  // namespace assay
