// A measuring check judges its cases like any other, and what goes wrong while it measures is
// found.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/check.h"
#include "properties/support/case_run.h"
#include "src/problem/case_text.h"
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

TEST(MeasuringChecks, AreThoseFour) {
  std::string names;
  for (const Check& check : all_checks()) {
    if (check.measures) { names += std::string(check.name) + " "; }
  }
  EXPECT_EQ(names,
            "useful_row_fraction time_over_the_loop time_over_the_aligned_case "
            "host_time_per_call ");
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
