// Every check as a RapidCheck property: cases from every generator, shrunk by the one domain
// shrinker. The same cases every time; RC_PARAMS changes that ("max_success=1000 seed=7"),
// ASSAY_KERNEL chooses the kernel, default cpu.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "properties/check.h"
#include "properties/drivers/case_generator.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr int kCasesPerCheck = 20;
constexpr std::uint64_t kSeed = 1;

// A check of which profile ci has fewer makes hundreds of runs of each.
int cases_of(const Check& check) {
  Index in_ci = 0;
  for (const Draw& draw : check.draws) { in_ci += draw.ci; }
  return static_cast<int>(std::clamp<Index>(in_ci, 1, kCasesPerCheck));
}

// What RC_PARAMS says; what it leaves open is fixed here, so that a suite fails alike everywhere.
rc::detail::TestParams chosen_params(const Check& check) {
  const char* words = std::getenv("RC_PARAMS");
  const std::string chosen = words != nullptr ? words : "";
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  if (chosen.find("max_success") == std::string::npos) { params.maxSuccess = cases_of(check); }
  if (chosen.find("seed") == std::string::npos) { params.seed = kSeed; }
  return params;
}

std::string kernel_name() {
  const char* chosen = std::getenv("ASSAY_KERNEL");
  return chosen != nullptr ? chosen : "cpu";
}

// One worker for all properties of this process.
Session* session() {
  static auto opened = open_worker_session(kernel_name());
  if (!opened) {
    ADD_FAILURE() << opened.error().message;
    return nullptr;
  }
  return opened->get();
}

class Property : public testing::TestWithParam<Check> {};

TEST_P(Property, Holds) {
  const Check& check = GetParam();
  Session* kernel = session();
  ASSERT_NE(kernel, nullptr);
  if (const auto reason = check.not_applicable(kernel->manifest())) { GTEST_SKIP() << *reason; }
  int judged = 0;
  const auto result = rc::detail::checkTestable(
      [&] {
        const CaseSpec spec = *any_case(check, kernel->manifest());
        const Verdict verdict = check.run(*kernel, spec);
        const bool wrong = verdict.kind == VerdictKind::kFailed ||
                           verdict.kind == VerdictKind::kCrashed ||
                           verdict.kind == VerdictKind::kHung;
        if (verdict.kind == VerdictKind::kPassed || verdict.kind == VerdictKind::kMeasured) {
          ++judged;
        }
        RC_TAG(std::string(name(verdict.kind)));
        if (wrong) {
          RC_FAIL(std::string(check.name) + ": " + verdict.reason + "\nreplay: ./run assay run '" +
                  short_text(spec) + "' --kernel " + shell_word(kernel->kernel_spec()) +
                  " --check " + std::string(check.name));
        }
      },
      rc::detail::TestMetadata{.id = std::string(check.name), .description = ""},
      chosen_params(check));
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
  EXPECT_GT(judged, 0) << "no case of this property was judged";
}

std::string check_name(const testing::TestParamInfo<Check>& info) {
  return std::string(info.param.name);
}

INSTANTIATE_TEST_SUITE_P(Checks, Property,
                         testing::ValuesIn(all_checks().begin(), all_checks().end()), check_name);

}  // namespace

void PrintTo(const Check& check, std::ostream* stream) { *stream << check.name; }

}  // namespace assay
