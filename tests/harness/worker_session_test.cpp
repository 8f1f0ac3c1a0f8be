// Kernels that crash, hang or leave: a finding each, and the session serves on.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sched.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/harness/judge/judge_case.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using testing::HasSubstr;

const char* const kLine = "pass=fwd k=8 n=4 rows=3,2 tail=1 seed=1";

Outcome run_plugin(std::string_view name, std::string_view line, const RunOptions& options = {}) {
  return worker_of(name)->run(problem_of(line), options);
}

void expect_crash(std::string_view name, std::string_view line, const std::string& words,
                  const RunOptions& options = {}) {
  const Outcome outcome = run_plugin(name, line, options);
  EXPECT_EQ(outcome.status, RunStatus::kCrashed) << name;
  const bool outside = words.find("past the end") != std::string::npos ||
                       words.find("below the start") != std::string::npos;
  EXPECT_EQ(outcome.crash, outside ? CrashKind::kOutOfBounds : CrashKind::kOther) << words;
  EXPECT_THAT(outcome.message, HasSubstr(words));
  EXPECT_EQ(outcome.message.find('\n'), std::string::npos);
}

TEST(WorkerSession, NamesANullPointer) {
  expect_crash("segfaults", kLine, "SIGSEGV: wrote at 0x8, a null pointer");
}

TEST(WorkerSession, QuotesWhatTheKernelPrintedLast) {
  expect_crash("segfaults", kLine, "it printed 'about to go wrong with k=8'");
  expect_crash("aborts", kLine, "SIGABRT; it printed 'assertion of the kernel failed'");
}

TEST(WorkerSession, NamesAStackOverflow) {
  expect_crash("overflows_stack", kLine, "SIGSEGV: stack overflow");
}

TEST(WorkerSession, NamesTheOperandThatWasReadPast) {
  const RunOptions high{.placement = Placement::kHigh};
  // Six rows of eight bf16 are a multiple of 16 bytes: no gap lies between x and its guard page.
  expect_crash("reads_past", kLine, "SIGSEGV: read past the end of x, 7 bytes after it", high);
  expect_crash("reads_past", "pass=fwd k=1 n=4 rows=8", "read past the end of x, at its first byte",
               high);
  expect_crash("writes_below", kLine, "SIGSEGV: wrote 24 bytes below the start of y",
               {.placement = Placement::kLow});
  expect_crash("reads_offsets_past", kLine, "read past the end of offsets, at its first byte",
               high);
}

TEST(WorkerSession, ReadsWithinTheSlackAreNoCrash) {
  const Outcome outcome = run_plugin("reads_past", kLine, {.placement = Placement::kLow});
  EXPECT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
}

// Keeps one processor for this process and those that it starts, and five threads busy on it.
class BusyProcessor {
 public:
  BusyProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    int first = 0;
    while (!CPU_ISSET(first, &before_)) { ++first; }
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  void begin() {
    for (int i = 0; i < 5; ++i) {
      threads_.emplace_back([this] {
        while (!ends_) {}
      });
    }
  }
  ~BusyProcessor() {
    ends_ = true;
    threads_.clear();
    sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  std::atomic<bool> ends_ = false;
  std::vector<std::jthread> threads_;
};

TEST(WorkerSession, ACallThatOthersKeepWaitingHasNotHung) {
  BusyProcessor processor;
  const auto session = worker_of("takes_a_second", 2.5);
  processor.begin();
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = session->run(problem_of("pass=fwd k=1 n=4 rows=3"), {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(outcome.status, RunStatus::kOk) << outcome.message << " after " << took.count() << " s";
  EXPECT_GT(took.count(), 2.5);
}

TEST(WorkerSession, AHangEndsAtItsDeadlineAndTheSessionServesOn) {
  const auto session = worker_of("hangs", 1.5);
  const auto start = std::chrono::steady_clock::now();
  const Outcome hung = session->run(problem_of("pass=fwd k=1 n=4 rows=3"), {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(hung.status, RunStatus::kHung);
  EXPECT_THAT(hung.message, HasSubstr("no answer within 1.5 s"));
  EXPECT_GE(took.count(), 1.5);
  EXPECT_LT(took.count(), 15);
  const Problem problem = problem_of(kLine);
  const Outcome after = session->run(problem, {});
  ASSERT_EQ(after.status, RunStatus::kOk) << after.message;
  EXPECT_EQ(after.output, exact_output(problem));
}

TEST(WorkerSession, AnExitIsACrashEvenWithStatusZero) {
  const auto session = worker_of("exits");
  const Outcome left = session->run(problem_of("pass=fwd k=1 n=4 rows=3"), {});
  EXPECT_EQ(left.status, RunStatus::kCrashed);
  EXPECT_EQ(left.message, "the kernel ended its process with exit status 0");
  EXPECT_EQ(session->run(problem_of(kLine), {}).status, RunStatus::kOk);
}

TEST(WorkerSession, AnExceptionIsACrash) {
  expect_crash("throws", kLine, "the kernel threw an exception: no tile fits");
  expect_crash("throws", "pass=fwd k=1 n=4 rows=3", "of a type that is not a std::exception");
  expect_crash("throws_much", kLine, "the kernel threw an exception: shapes ?xxx");
}

TEST(WorkerSession, AKernelThatHandlesItsFaultsInEachCallIsACrash) {
  const auto session = worker_of("handles_faults");
  EXPECT_EQ(session->run(problem_of("pass=fwd k=1 n=4 rows=3"), {}).status, RunStatus::kOk);
  const Outcome outcome = session->run(problem_of(kLine), {.placement = Placement::kHigh});
  EXPECT_EQ(outcome.status, RunStatus::kCrashed);
  EXPECT_EQ(outcome.message,
            "the kernel handles SIGSEGV by itself in each call, so that a stray access would go "
            "unseen");
}

TEST(WorkerSession, IsTheFirstToGoWhereMemoryIsShort) {
  EXPECT_THAT(run_plugin("says_what_it_costs", kLine, {}).message, HasSubstr("1000"));
}

TEST(WorkerSession, AnErrorWithoutAReasonSaysSo) {
  EXPECT_EQ(run_plugin("says_what_it_costs", "pass=fwd k=1 n=4 rows=3", {}).message,
            "it gave no reason");
  EXPECT_EQ(run_plugin("says_what_it_costs", "pass=fwd k=2 n=4 rows=3", {}).message,
            "77 is not a status of the ABI");
}

TEST(WorkerSession, AKernelThatDeclaresAnotherManifestLaterIsACrash) {
  setenv("ASSAY_TEST_MANIFEST", R"({"name": "first"})", 1);
  const auto session = worker_of("another_manifest");
  setenv("ASSAY_TEST_MANIFEST", R"({"name": "second"})", 1);
  EXPECT_THAT(session->run(problem_of(kLine), {}).message, HasSubstr("exit status 0"));
  const Outcome again = session->run(problem_of(kLine), {});
  EXPECT_EQ(again.status, RunStatus::kCrashed);
  EXPECT_THAT(again.message, HasSubstr("declares another manifest"));
}

TEST(WorkerSession, GarbageOnItsSocketIsACrash) {
  expect_crash("writes_to_descriptors", kLine, "wrote 7 bytes to a descriptor of the harness");
}

TEST(WorkerSession, AnAnswerWithoutTheNonceIsGarbage) {
  expect_crash("forges_answers", kLine, "wrote 48 bytes to a descriptor of the harness");
}

TEST(WorkerSession, ClosedDescriptorsAreACrash) {
  expect_crash("closes_descriptors", kLine, "closed or read a descriptor of the harness");
}

TEST(WorkerSession, AnEndIsSeenThroughAChildThatHoldsTheSocket) {
  const auto start = std::chrono::steady_clock::now();
  expect_crash("leaves_a_child", "pass=fwd k=1 n=4 rows=3", "exit status 5");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 15);
}

TEST(WorkerSession, QuotesTheOutputOfItsOwnRunOnly) {
  const auto session = worker_of("prints_and_exits");
  EXPECT_EQ(session->run(problem_of("pass=fwd k=2 n=4 rows=3"), {}).status, RunStatus::kOk);
  const Outcome outcome = session->run(problem_of("pass=fwd k=1 n=4 rows=3"), {});
  EXPECT_THAT(outcome.message, HasSubstr("it printed 'k=1'"));
}

TEST(WorkerSession, MuchOutputDoesNotBlock) {
  const Outcome outcome = run_plugin("prints_much", kLine);
  EXPECT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
}

TEST(WorkerSession, PassesTheKernelsAnswerOn) {
  const auto session = worker_of("answers");
  const auto run = [&](const char* line) { return session->run(problem_of(line), {}); };
  const Outcome unsupported = run("pass=fwd k=1 n=4 rows=3");
  EXPECT_EQ(unsupported.status, RunStatus::kUnsupported);
  EXPECT_EQ(unsupported.message, "k is odd");
  const Outcome error = run("pass=fwd k=2 n=4 rows=3");
  EXPECT_EQ(error.status, RunStatus::kError);
  EXPECT_EQ(error.message, std::string(1023, 'e'));
  const Outcome unknown = run("pass=fwd k=3 n=4 rows=3");
  EXPECT_EQ(unknown.status, RunStatus::kError);
  EXPECT_THAT(unknown.message, HasSubstr("7 is not a status of the ABI"));
  const Outcome flagged = run("pass=fwd k=4 n=4 rows=3");
  EXPECT_EQ(flagged.status, RunStatus::kOk);
  EXPECT_EQ(flagged.status_word, 1);
  EXPECT_TRUE(flagged.faults.empty());
  EXPECT_EQ(run("pass=fwd k=5 n=4 rows=3").status_word, 0);
}

TEST(WorkerSession, RefusesWhatDoesNotLoad) {
  const auto message = [](const std::string& kernel) {
    const auto session = open_worker_session(kernel, worker_options());
    EXPECT_FALSE(session) << kernel;
    return session ? "" : session.error().message;
  };
  EXPECT_THAT(message(plugin("no_such")), HasSubstr("no_such.so"));
  EXPECT_THAT(message(plugin("lacks_run")), HasSubstr("assay_run_v1"));
  EXPECT_THAT(message(plugin("bad_manifest")), HasSubstr("colour"));
  EXPECT_THAT(message(plugin("dies_while_loading")),
              HasSubstr("exit status 3; it printed 'no licence for this kernel'"));
  EXPECT_THAT(message("no_builtin"), HasSubstr("no_builtin"));
}

TEST(WorkerSession, AKernelThatDoesNotLoadInTimeIsRefused) {
  SessionOptions options = worker_options();
  options.load_seconds = 0.3;
  const auto session = open_worker_session(plugin("loads_slowly"), options);
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().message, HasSubstr("did not load within 0.3 s"));
}

TEST(WorkerSession, SaysWhichWorkerIsMissing) {
  SessionOptions options = worker_options();
  options.worker_path = "nowhere/assay-worker";
  const auto session = open_worker_session(plugin("naive"), options);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message, "the worker 'nowhere/assay-worker' cannot be executed");
}

TEST(WorkerSession, FindsTheWorkerOneFolderUp) {
  SessionOptions options = worker_options();
  options.worker_path.clear();
  const auto session = open_worker_session(plugin("naive"), options);
  EXPECT_TRUE(session) << session.error().message;
}

}  // namespace
}  // namespace assay
