// A measuring check judges its cases like any other, and what goes wrong while it measures is
// found.
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/check.h"
#include "properties/support/case_run.h"
#include "src/problem/case_text.h"
#include "tests/core/sanitized.h"
#include "tests/harness/fake_device.h"

namespace assay {
namespace {

using testing::fake_session;
using ::testing::HasSubstr;

const CaseSpec& spec() {
  static const CaseSpec spec = *parse_case("pass=fwd k=24 n=40 rows=3,0,17,5 seed=4");
  return spec;
}

// The whole judgement makes two calls, what is measured more: 3 is the first of them.
template <int kFrom, class Mistake>
int right_until(const assay_call* call, Mistake mistake) {
  static int calls = 0;
  if (++calls >= kFrom) { return mistake(); }
  return testing::fake_run(call);
}
int errs_while_measured(const assay_call* call) {
  return right_until<3>(call, [] { return ASSAY_ERROR; });
}
int writes_nothing_while_measured(const assay_call* call) {
  return right_until<3>(call, [] { return ASSAY_OK; });
}
// The misaligned case is timed three times; then comes the aligned one.
int writes_nothing_on_the_aligned_case(const assay_call* call) {
  return right_until<6>(call, [] { return ASSAY_OK; });
}

Verdict run_on(std::string_view check, assay_run_function kernel) {
  const auto session = fake_session(kernel);
  return find_check(check)->run(*session, spec());
}

TEST(MeasuringChecks, AreThoseSix) {
  std::string names;
  for (const Check& check : all_checks()) {
    if (check.measures) { names += std::string(check.name) + " "; }
  }
  EXPECT_EQ(names,
            "useful_row_fraction time_over_the_loop time_over_the_aligned_case "
            "time_over_the_even_neighbour host_time_per_call first_call_over_the_second ");
}

TEST(MeasuringChecks, ReportAFigureOfACaseThatIsRight) {
  for (const char* const name :
       {"useful_row_fraction", "time_over_the_aligned_case", "host_time_per_call"}) {
    const Verdict verdict = run_on(name, testing::fake_run);
    EXPECT_EQ(verdict.kind, VerdictKind::kMeasured) << name << ": " << verdict.reason;
    EXPECT_TRUE(verdict.measured) << name;
    EXPECT_GT(verdict.elements, 0) << name << " judges, too";
  }
  EXPECT_EQ(*run_on("useful_row_fraction", testing::fake_run).measured, 25.0 / (3 * 128));
}

// Thirty times as long where n is odd; and each number of rows waits the first time it is met.
int slow_where_n_is_odd(const assay_call* call) {
  for (int i = 0; call->n % 2 == 1 && i < 29; ++i) { naive_run(call); }
  return naive_run(call);
}
int slow_at_first(const assay_call* call) {
  static std::set<std::int64_t> seen;
  if (seen.insert(call->rows).second) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return naive_run(call);
}

// The device of the other tests has a clock that stands still.
std::unique_ptr<Session> host_session(assay_run_function run) {
  LoadedKernel kernel = testing::fake_kernel(run);
  kernel.manifest.device = "cpu";
  kernel.manifest.stream_ordered = kernel.manifest.graph_capturable = false;
  auto session = open_in_process_session(std::move(kernel), make_host_executor(run, nullptr));
  ASSAY_REQUIRE(session.has_value(), session.has_value() ? "" : session.error().message);
  return std::move(*session);
}

TEST(MeasuringChecks, ReportWhatIsSlow) {
  if (testing::kSanitized) {
    return;  // times say nothing there
  }
  const auto is_remarkable = [](const char* name, assay_run_function kernel) {
    const Check& check = *find_check(name);
    const auto session = host_session(kernel);
    CaseSpec prepared = spec();
    check.prepare(prepared, session->manifest());
    const Verdict verdict = check.run(*session, prepared);
    EXPECT_EQ(verdict.kind, VerdictKind::kMeasured) << name << ": " << verdict.reason;
    return verdict.measured.value_or(0) >= check.measures->remarkable;
  };
  EXPECT_TRUE(is_remarkable("time_over_the_even_neighbour", slow_where_n_is_odd));
  EXPECT_TRUE(is_remarkable("first_call_over_the_second", slow_at_first));
}

// As shrinking asks it of a kernel that is wrong where a size is odd.
TEST(MeasuringChecks, TheSmallestCaseHasNoNeighbourBelow) {
  const auto session = fake_session(testing::fake_run);
  const Check& check = *find_check("time_over_the_even_neighbour");
  EXPECT_NE(check.run(*session, *parse_case("pass=fwd k=1 n=1 rows=0")).kind, VerdictKind::kFailed);
}

TEST(MeasuringChecks, AFirstCallThatCompilesIsNotMeasured) {
  const Check& check = *find_check("first_call_over_the_second");
  Manifest manifest;
  EXPECT_FALSE(check.not_applicable(manifest));
  manifest.compiled_for.n = true;
  EXPECT_TRUE(check.not_applicable(manifest));
}

TEST(MeasuringChecks, FindWhatGoesWrongWhileTheyMeasure) {
  const Verdict error = run_on("time_over_the_aligned_case", errs_while_measured);
  EXPECT_EQ(error.kind, VerdictKind::kFailed);
  EXPECT_FALSE(error.measured);
  const Verdict wrong = run_on("time_over_the_aligned_case", writes_nothing_while_measured);
  EXPECT_EQ(wrong.kind, VerdictKind::kFailed);
  EXPECT_GT(wrong.wrong_elements, 0);
  const Verdict beside = run_on("time_over_the_aligned_case", writes_nothing_on_the_aligned_case);
  EXPECT_EQ(beside.kind, VerdictKind::kFailed);
  EXPECT_THAT(beside.reason, HasSubstr("the same case aligned: "));
}

TEST(MeasuringChecks, WithoutTheLoopNothingIsMeasured) {
  const auto cpu = open_in_process_session("cpu");
  ASSERT_TRUE(cpu) << cpu.error().message;
  const Check& check = *find_check("time_over_the_loop");
  const Verdict measured = check.run(**cpu, spec());
  EXPECT_EQ(measured.kind, VerdictKind::kMeasured) << measured.reason;
  EXPECT_GT(measured.measured.value_or(0), 0);
  const char* const worker = std::getenv("ASSAY_WORKER");
  const std::string before = worker != nullptr ? worker : "";
  ::setenv("ASSAY_WORKER", "/no/worker", 1);
  const Verdict none = check.run(**cpu, spec());
  before.empty() ? ::unsetenv("ASSAY_WORKER") : ::setenv("ASSAY_WORKER", before.c_str(), 1);
  EXPECT_EQ(none.kind, VerdictKind::kNotRun);
  EXPECT_THAT(none.reason, HasSubstr("/no/worker"));
}

}  // namespace
}  // namespace assay
