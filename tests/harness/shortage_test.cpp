// What the machine has not got is never the kernel's fault.
#include <array>
#include <csignal>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/harness/call/executor.h"
#include "src/harness/process/crash_text.h"
#include "tests/core/no_threads.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using testing::without_threads;

const char* const kLine = "pass=fwd k=8 n=4 rows=3,2 tail=1 seed=1";

TEST(Shortage, OfThreadsLeavesConcurrentCallsUnmade) {
  EXPECT_EQ(without_threads([] {
              static int calls = 0;
              const auto executor = make_host_executor(
                  [](const assay_call*) -> int { return ++calls, ASSAY_OK; }, nullptr);
              const std::array<CallRecord, 3> records{};
              const ExecuteResult result = executor->execute(records, {});
              if (result.end != CallsEnd::kNotRun || calls != 0) { return 1; }
              const bool said = result.message.starts_with("the harness could not start a thread");
              return said ? 0 : 2;
            }),
            0);
}

TEST(Shortage, OfThreadsInTheWorkerIsSaidByTheHarness) {
  EXPECT_EQ(without_threads([] {
              const auto session = open_worker_session(plugin("naive"), worker_options());
              if (session || !session.error().shortage) { return 1; }
              const std::string& why = session.error().message;
              return why.starts_with("the harness could not start a thread") ? 0 : 2;
            }),
            0);
}

TEST(Shortage, OfDescriptorsIsNoFaultOfTheKernel) {
  const auto session = worker_of("aborts");
  EXPECT_EQ(session->run(problem_of(kLine), {}).status, RunStatus::kCrashed);
  // The next run starts a new worker.
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit none{3, usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Outcome outcome = session->run(problem_of(kLine), {});
  const auto other = open_worker_session(plugin("naive"), worker_options());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_EQ(outcome.status, RunStatus::kNotRun);
  EXPECT_THAT(outcome.message, HasSubstr("Too many open files"));
  ASSERT_FALSE(other);
  EXPECT_TRUE(other.error().shortage);
}

TEST(Shortage, AKillIsToldFromAnAbort) {
  const Outcome killed = worker_of("kills_itself")->run(problem_of(kLine), {});
  EXPECT_EQ(killed.status, RunStatus::kCrashed);
  EXPECT_TRUE(killed.killed);
  EXPECT_THAT(killed.message, HasSubstr("killed by SIGKILL"));
  EXPECT_FALSE(worker_of("aborts")->run(problem_of(kLine), {}).killed);
  EXPECT_FALSE(worker_of("hangs", 0.5)->run(problem_of(kLine), {}).killed);
}

TEST(Shortage, OfMemoryIsNamedWhereTheSystemKilledForIt) {
  WorkerAnswer answer;
  answer.kind = WorkerAnswer::Kind::kDied;
  answer.wait_status = SIGKILL;
  answer.killed = true;
  const auto nowhere = [](std::uint64_t) { return std::optional<AddressPlace>(); };
  EXPECT_EQ(describe_end(answer, nowhere), "killed by SIGKILL");
  answer.memory_kills = {2, "in this control group"};
  EXPECT_EQ(describe_end(answer, nowhere),
            "killed by SIGKILL: memory ran out, for which the system killed 2 processes in this "
            "control group since the worker was started");
}

}  // namespace
}  // namespace assay
