#include "src/bench/worker_bench.h"

#include <fmt/format.h>

#include "src/contract/loader.h"
#include "src/harness/call/session.h"
#include "src/problem/case_text.h"
#include "src/problem/problem.h"

namespace assay {
namespace {

constexpr int kCases = 400;
constexpr double kMicroseconds = 1e6;

CaseSpec small_case() {
  CaseSpec spec;
  spec.in = Format::kFp32;
  spec.out = Format::kFp32;
  spec.k = 16;
  spec.n = 8;
  spec.rows = {3, 0, 2, 5};
  spec.weights = WeightsLayout::kEkn;
  return spec;
}

// Microseconds of a case: memory prepared, kernel called, memory inspected.
Result<double> microseconds_of(Session& session, const BenchOptions& options) {
  const Problem problem = make_problem(small_case());
  Outcome outcome = session.run(problem, {});
  const double seconds = fastest_seconds(options.repeats, [&] {
    for (int i = 0; i < kCases && outcome.status == RunStatus::kOk; ++i) {
      outcome = session.run(problem, {.poison = i % 2});
    }
  });
  if (outcome.status == RunStatus::kOk) { return seconds / kCases * kMicroseconds; }
  return make_error(fmt::format("kernel '{}' does not run '{}': {}", session.kernel_spec(),
                                short_text(small_case()), outcome.message));
}

}  // namespace

Result<std::vector<BenchLine>> bench_worker(const std::string& kernel,
                                            const BenchOptions& options) {
  auto here = open_in_process_session("cpu");
  ASSAY_TRY(here);
  auto worker = open_worker_session(kernel);
  ASSAY_TRY(worker);
  const auto inside = microseconds_of(**here, options);
  ASSAY_TRY(inside);
  const auto outside = microseconds_of(**worker, options);
  ASSAY_TRY(outside);
  return std::vector<BenchLine>{
      {"a small case, cpu in this process", *inside, "us", ""},
      {fmt::format("a small case, {} in a worker", kernel), *outside, "us", ""},
      {"the worker's share", *outside - *inside, "us",
       is_python(kernel) ? "at most 300 us" : "at most 100 us"}};
}

}  // namespace assay
