#include "tests/harness/support.h"

#include "src/core/require.h"
#include "src/problem/case_text.h"

namespace assay {

Problem problem_of(std::string_view line) {
  const auto spec = parse_case(line);
  ASSAY_REQUIRE(spec.has_value(), spec.has_value() ? "" : spec.error().message);
  return make_problem(*spec);
}

std::string plugin(std::string_view name) {
  return std::string(ASSAY_BINARY_DIR "/test_plugins/harness/") + std::string(name) + ".so";
}

SessionOptions worker_options(double deadline_seconds) {
  return {.deadline_seconds = deadline_seconds, .worker_path = ASSAY_BINARY_DIR "/assay-worker"};
}

std::unique_ptr<Session> worker_of(std::string_view plugin_name, double deadline_seconds) {
  auto session = open_worker_session(plugin(plugin_name), worker_options(deadline_seconds));
  ASSAY_REQUIRE(session.has_value(), session.has_value() ? "" : session.error().message);
  return std::move(*session);
}

}  // namespace assay
