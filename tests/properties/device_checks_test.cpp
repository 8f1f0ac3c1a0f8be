// Each check of a device's asynchrony passes on a sound kernel and fails on the mistake that it is
// for.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/check.h"
#include "properties/support/case_run.h"
#include "properties/support/sanitizer.h"
#include "src/problem/case_text.h"
#include "tests/harness/fake_device.h"

namespace assay {
namespace {

using testing::fake_session;
using ::testing::HasSubstr;

CaseSpec spec_of(const char* line) {
  const auto spec = parse_case(line);
  EXPECT_TRUE(spec.has_value()) << line;
  return *spec;
}

Verdict run_check(std::string_view name, assay_run_function kernel, CaseSpec spec) {
  const Check& check = *find_check(name);
  const auto session = fake_session(kernel);
  EXPECT_FALSE(check.not_applicable(session->manifest()));
  if (check.prepare != nullptr) { check.prepare(spec, session->manifest()); }
  return check.run(*session, spec);
}

const CaseSpec kCase = spec_of("pass=fwd k=24 n=40 rows=3,0,17,5 tail=2 seed=4");
const CaseSpec kGradient = spec_of("pass=wgrad out=fp32 k=24 n=40 rows=9,0,17,5 seed=4");

// Of two calls at once, both make the later one's.
int shares_its_arguments(const assay_call* call) {
  static std::shared_ptr<testing::FakeLaunch> last;
  last = std::make_shared<testing::FakeLaunch>(*call);
  testing::stream_of(*call).put([] { naive_run(&last->call); });
  return ASSAY_OK;
}

// From the third call on, the lowest bit of one element is another: well within the error bound.
template <int kCheck>
int changes_a_bit_later(const assay_call* call) {
  static int calls = 0;
  const int status = testing::fake_run(call);
  char* const at = naive_data(call->y);
  if (++calls >= 3) {
    testing::stream_of(*call).put([at] { *at = static_cast<char>(*at ^ 1); });
  }
  return status;
}

// Right, and says of every call that its offsets are invalid.
int flags_every_call(const assay_call* call) {
  std::int32_t* const status = call->status;
  testing::stream_of(*call).put([status] { *status = 3; });
  return testing::fake_run(call);
}

TEST(StatusWord, IsJudgedByEveryCheck) {
  // Those whose cases are large, and those that need a real device.
  const std::set<std::string_view> left_out = {"indices_beyond_2_31", "rows_beyond_32768",
                                               "very_many_experts", "sanitizers_stay_silent",
                                               "the_operands_device_is_used"};
  int judged = 0;
  for (const Check& check : all_checks()) {
    if (check.not_applicable(testing::fake_session(flags_every_call)->manifest())) { continue; }
    if (left_out.contains(check.name)) { continue; }
    SCOPED_TRACE(check.name);
    const Verdict verdict = run_check(check.name, flags_every_call, kCase);
    EXPECT_EQ(verdict.kind, VerdictKind::kFailed);
    EXPECT_THAT(verdict.reason,
                HasSubstr("the status word was set to 3 although the offsets are valid"));
    ++judged;
  }
  EXPECT_GT(judged, 30);
}

TEST(DeviceChecks, PassOnASoundKernel) {
  for (const char* const name : {"capture_needs_no_sync", "graph_replay_follows_new_offsets",
                                 "the_given_stream_is_honoured", "concurrent_calls_do_not_meet"}) {
    for (const CaseSpec& spec : {kCase, kGradient}) {
      const Verdict verdict = run_check(name, testing::fake_run, spec);
      EXPECT_EQ(verdict.kind, VerdictKind::kPassed) << name << ": " << verdict.reason;
      EXPECT_GT(verdict.elements, 0) << name;
    }
  }
}

TEST(DeviceChecks, FailOnTheirMistake) {
  const auto expect_failed = [](std::string_view check, assay_run_function kernel,
                                const char* reason) {
    const Verdict verdict = run_check(check, kernel, kCase);
    EXPECT_EQ(verdict.kind, VerdictKind::kFailed) << check;
    EXPECT_THAT(verdict.reason, HasSubstr(reason)) << check;
  };
  expect_failed("capture_needs_no_sync", testing::fake_waits, "cannot be captured");
  expect_failed("graph_replay_follows_new_offsets", testing::fake_reads_offsets_early,
                "replayed with rows=");
  expect_failed("the_given_stream_is_honoured", testing::fake_runs_early, "elements are wrong");
  expect_failed("concurrent_calls_do_not_meet", shares_its_arguments, "elements are wrong");
}

TEST(DeviceChecks, CompareTheBitsOfACallMadeOtherwise) {
  const CaseSpec real = spec_of("pass=fwd in=fp32 k=24 n=40 rows=3,0,17,5 fill=normal seed=4");
  const Verdict captured = run_check("capture_needs_no_sync", changes_a_bit_later<0>, real);
  EXPECT_EQ(captured.kind, VerdictKind::kFailed);
  EXPECT_THAT(captured.reason, HasSubstr("the captured call"));
  const Verdict late = run_check("the_given_stream_is_honoured", changes_a_bit_later<1>, real);
  EXPECT_EQ(late.kind, VerdictKind::kFailed);
  EXPECT_THAT(late.reason, HasSubstr("the call behind a producer"));
}

TEST(DeviceChecks, ReplayWithoutAnyRowChangesNothing) {
  // Zero rows come last among the replayed routings: what the calls before left must stay away.
  const Verdict verdict = run_check("graph_replay_follows_new_offsets", testing::fake_run,
                                    spec_of("pass=wgrad k=8 n=8 rows=2,2,1 seed=1"));
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed) << verdict.reason;
}

TEST(DeviceChecks, AnotherDeviceIsNotApplicableWhereThereIsOne) {
  const Verdict verdict = run_check("the_operands_device_is_used", testing::fake_run, kCase);
  EXPECT_EQ(verdict.kind, VerdictKind::kNotApplicable);
  EXPECT_THAT(verdict.reason, HasSubstr("one GPU"));
}

TEST(DeviceChecks, DoNotApplyToWhatAKernelDoesNotDeclare) {
  Manifest manifest = testing::fake_kernel(testing::fake_run).manifest;
  manifest.graph_capturable = false;
  EXPECT_TRUE(find_check("capture_needs_no_sync")->not_applicable(manifest));
  EXPECT_FALSE(find_check("host_time_per_call")->not_applicable(manifest));
  manifest.stream_ordered = false;
  EXPECT_TRUE(find_check("the_given_stream_is_honoured")->not_applicable(manifest));
  EXPECT_FALSE(find_check("sanitizers_stay_silent")->not_applicable(manifest));
  manifest.device = "cpu";
  EXPECT_TRUE(find_check("sanitizers_stay_silent")->not_applicable(manifest));
}

TEST(DeviceChecks, IndicesAreDenseOnADevice) {
  const Manifest manifest = testing::fake_kernel(testing::fake_run).manifest;
  std::set<std::string> large;
  // What every profile draws.
  for (Index index = 0; index < 18; ++index) {
    CaseSpec spec = kCase;
    find_check("indices_beyond_2_31")->enumerate(spec, manifest, index);
    constexpr Index kBeyond = Index{1} << 31;
    if (total_rows(spec) * spec.k > kBeyond) { large.insert("x"); }
    if (total_rows(spec) * spec.n > kBeyond) { large.insert("y"); }
    if (spec.experts() * spec.k * spec.n > kBeyond) { large.insert("w"); }
    EXPECT_TRUE(parse_case(canonical_text(spec)).has_value()) << canonical_text(spec);
  }
  EXPECT_EQ(large.size(), 3U);
}

constexpr RunOptions kStay{.operands_stay = true};

Verdict fingerprint_of(Session& session, const RunOptions& options) {
  CaseSpec spec = kCase;
  spec.fill = Fill::kSparse;
  const Problem problem = problem_for(spec, session.manifest());
  const Outcome outcome = session.run(problem, options);
  Verdict verdict{.kind = VerdictKind::kPassed};
  judge_by_fingerprint(verdict, session, problem, outcome);
  return verdict;
}
Verdict fingerprint_of(assay_run_function kernel, const RunOptions& options,
                       const testing::FakeFaults& faults = {}) {
  return fingerprint_of(*fake_session(kernel, faults), options);
}

// What the kernel launched never ends: seen only when the operands are multiplied.
class HangsLater : public Session {
 public:
  const Manifest& manifest() const override { return sound_->manifest(); }
  const std::string& kernel_spec() const override { return sound_->kernel_spec(); }
  DeviceFacts device() const override { return sound_->device(); }
  void assume(const Manifest& manifest) override { sound_->assume(manifest); }
  Outcome run(const Problem& problem, const RunOptions& options) override {
    return sound_->run(problem, options);
  }
  DeviceProduct multiply(const OperandMatrix&, const oracle::IntegerForm&,
                         std::span<const oracle::Residue>) override {
    if (std::exchange(hung_, true)) { return tl::unexpected(MultiplyError{}); }
    return tl::unexpected(MultiplyError{RunStatus::kHung, "no answer within 1 s"});
  }

 private:
  std::unique_ptr<Session> sound_ = fake_session(testing::fake_run);
  bool hung_ = false;
};

TEST(DeviceChecks, FingerprintsAreTakenOnTheDevice) {
  const Verdict right = fingerprint_of(testing::fake_run, kStay);
  EXPECT_EQ(right.kind, VerdictKind::kPassed) << right.reason;
  EXPECT_EQ(right.elements, 25 * 40);
  const Verdict wrong = fingerprint_of(testing::fake_writes_at<(4 * 40 + 7) * 2 + 1>, kStay);
  EXPECT_EQ(wrong.kind, VerdictKind::kFailed);
  EXPECT_EQ(wrong.reason, "1 of 25 rows are wrong");
  ASSERT_TRUE(wrong.worst.has_value());
  EXPECT_EQ(wrong.worst->expert, 2);
  EXPECT_EQ(wrong.worst->row, 1);
  EXPECT_EQ(wrong.worst->col, 7);
  const Verdict gone = fingerprint_of(testing::fake_run, {});
  EXPECT_EQ(gone.kind, VerdictKind::kInconclusive);
  EXPECT_THAT(gone.reason, HasSubstr("no operands lie on a device"));
}

TEST(DeviceChecks, ADeviceThatStaysInErrorAfterTheCallIsTheKernelsCrash) {
  testing::FakeFaults faults{.in_multiply = "fakeErrorIllegalAddress", .lasts = true};
  const Verdict lost = fingerprint_of(testing::fake_run, kStay, faults);
  EXPECT_EQ(lost.kind, VerdictKind::kCrashed);
  EXPECT_EQ(lost.reason,
            "after its call had returned: the device failed: an earlier launch of the kernel left "
            "it in error: fakeErrorIllegalAddress");
  // One that the device gets over is the harness's own.
  faults = {.in_multiply = "fakeErrorMemoryAllocation"};
  const Verdict own = fingerprint_of(testing::fake_run, kStay, faults);
  EXPECT_EQ(own.kind, VerdictKind::kInconclusive);
  EXPECT_THAT(own.reason, HasSubstr("fakeErrorMemoryAllocation"));
}

TEST(DeviceChecks, WorkThatNeverEndsAfterTheCallIsAHang) {
  HangsLater session;
  const Verdict hung = fingerprint_of(session, kStay);
  EXPECT_EQ(hung.kind, VerdictKind::kHung);
  EXPECT_EQ(hung.reason, "after its call had returned: no answer within 1 s");
}

TEST(DeclaredCombinations, AreDrawnWithinTheManifest) {
  Manifest manifest = testing::fake_kernel(testing::fake_run).manifest;
  manifest.ld_multiple = manifest.k_multiple = manifest.n_multiple = 8;
  CaseSpec spec = kCase;
  spec.ld = {1, 1, 1};
  find_check("every_declared_combination_runs")->prepare(spec, manifest);
  EXPECT_FALSE(exclusion(manifest, spec).has_value()) << *exclusion(manifest, spec);
  // Strides of a multiple, widths of any size.
  manifest.k_multiple = manifest.n_multiple = 1;
  spec.k = 9, spec.n = 5, spec.ld = {7, 7, 3};
  find_check("every_declared_combination_runs")->prepare(spec, manifest);
  for (const WeightsLayout layout : {WeightsLayout::kEnk, WeightsLayout::kEkn}) {
    spec.weights = layout;
    EXPECT_FALSE(exclusion(manifest, spec).has_value()) << *exclusion(manifest, spec);
  }
}

// A tool that prints and returns what it is told.
class Sanitizer : public ::testing::Test {
 protected:
  void pretend(const std::string& script) {
    const auto folder = std::filesystem::temp_directory_path();
    path_ = folder / ("assay-sanitizer-" + std::to_string(::getpid()));
    std::ofstream(path_) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    ::setenv("ASSAY_SANITIZER", path_.c_str(), 1);
    ::setenv("ASSAY_RUN", "/bin/true", 1);
  }
  void TearDown() override {
    ::unsetenv("ASSAY_SANITIZER");
    ::unsetenv("ASSAY_RUN");
    std::filesystem::remove(path_);
  }
  Verdict verdict() { return run_check("sanitizers_stay_silent", testing::fake_run, kCase); }

  std::filesystem::path path_;
};

TEST_F(Sanitizer, SilentToolsPass) {
  pretend("echo '========= ERROR SUMMARY: 0 errors'");
  const Verdict passed = verdict();
  EXPECT_EQ(passed.kind, VerdictKind::kPassed) << passed.reason;
  EXPECT_EQ(passed.runs, 4 * 3);  // tools, passes of a kernel without tactics
}

TEST_F(Sanitizer, AReportFails) {
  pretend(R"(case "$*" in *racecheck*)
    echo '========= COMPUTE-SANITIZER'; echo '========= Error: Race reported'; exit 86;; esac)");
  const Verdict failed = verdict();
  EXPECT_EQ(failed.kind, VerdictKind::kFailed);
  EXPECT_EQ(headline(failed.failed), Aspect::kSanitizer);
  EXPECT_THAT(failed.reason, HasSubstr("racecheck reports: Error: Race reported"));
}

TEST_F(Sanitizer, AToolThatCannotRunIsNotRun) {
  pretend("echo '========= Error: Device not supported.'; exit 86");
  const Verdict refused = verdict();
  EXPECT_EQ(refused.kind, VerdictKind::kNotRun);
  EXPECT_THAT(refused.reason, HasSubstr("memcheck did not run: Error: Device not supported"));
  pretend("exit 3");
  EXPECT_EQ(verdict().kind, VerdictKind::kNotRun);
  ::setenv("ASSAY_SANITIZER", "/nowhere", 1);
  EXPECT_THAT(verdict().reason, HasSubstr("compute-sanitizer is neither"));
}

TEST_F(Sanitizer, RunsTheCasesOfEveryPassUnderEachTool) {
  pretend(R"(for word; do case "$word" in /*assay-cases-*) cat "$word" >>"$0.seen";; esac; done)");
  EXPECT_EQ(verdict().kind, VerdictKind::kPassed);
  std::ifstream seen(path_.string() + ".seen");
  std::multiset<std::string> passes;
  for (std::string line; std::getline(seen, line);) {
    passes.insert(line.substr(0, line.find(' ')));
  }
  std::filesystem::remove(path_.string() + ".seen");
  EXPECT_EQ(passes.count("pass=fwd"), 4U);
  EXPECT_EQ(passes.count("pass=dgrad"), 4U);
  EXPECT_EQ(passes.count("pass=wgrad"), 4U);
}

}  // namespace
}  // namespace assay
