// Nothing outlives its driver or its session: no worker, not even a stopped one, and no process
// that a kernel started.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/harness/support.h"

namespace assay {
namespace {

pid_t parent_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string word;
  char state = 0;
  pid_t parent = 0;
  stat >> word >> word >> state >> parent;
  return parent;
}

pid_t child_of(pid_t parent, pid_t but = 0) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && pid != but && parent_of(pid) == parent) { return pid; }
  }
  return 0;
}

char state_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string word, name;
  char state = 0;
  stat >> word >> name >> state;
  return state;
}

// Gone, or a zombie that nobody is there to reap.
bool has_ended(pid_t pid) {
  const char state = state_of(pid);
  return state == 0 || state == 'Z';
}

template <class Condition>
bool becomes_true(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) { return true; }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// Below its warden.
pid_t worker_under(pid_t driver) {
  const pid_t warden = child_of(driver);
  return warden == 0 ? 0 : child_of(warden);
}

void expect_end_with_driver(const char* plugin, char state) {
  const Problem problem = problem_of("pass=fwd k=1 n=4 rows=3");
  const pid_t driver = fork();
  if (driver == 0) {
    worker_of(plugin, 60)->run(problem, {});
    _exit(0);
  }
  pid_t worker = 0;
  ASSERT_TRUE(becomes_true([&] {
    worker = worker_under(driver);
    return worker != 0 && state_of(worker) == state;
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // by now it is in the kernel
  kill(driver, SIGKILL);
  waitpid(driver, nullptr, 0);
  EXPECT_TRUE(becomes_true([&] { return has_ended(worker); }));
}

TEST(Worker, EndsWithItsDriver) { expect_end_with_driver("hangs", 'S'); }

TEST(Worker, EndsWithItsDriverAlsoWhileItIsStopped) { expect_end_with_driver("stops", 'T'); }

TEST(Worker, EndsWithItsSession) {
  pid_t worker = 0;
  {
    const auto session = worker_of("naive");
    worker = worker_under(getpid());
    ASSERT_NE(worker, 0);
  }
  EXPECT_NE(kill(worker, 0), 0);
}

TEST(Worker, EndsWithItsWarden) {
  const auto session = worker_of("naive");
  const pid_t warden = child_of(getpid()), worker = child_of(warden);
  kill(warden, SIGKILL);
  EXPECT_TRUE(becomes_true([&] { return has_ended(worker); }));
  const Outcome outcome = session->run(problem_of("pass=fwd k=2 n=4 rows=3"), {});
  EXPECT_EQ(outcome.status, RunStatus::kCrashed);
  EXPECT_EQ(session->run(problem_of("pass=fwd k=2 n=4 rows=3"), {}).status, RunStatus::kOk);
}

// In a session of its own, and where its parent is gone, as a daemon's is.
TEST(Process, OfAKernelEndsWithItsSession) {
  pid_t child = 0, daemon = 0;
  {
    const auto session = worker_of("holds_more");
    const pid_t warden = child_of(getpid());
    const pid_t worker = child_of(warden);
    session->run(problem_of("pass=fwd k=2 n=4 rows=3 tactic=process"), {});
    ASSERT_NE(child = child_of(worker), 0);
    session->run(problem_of("pass=fwd k=2 n=4 rows=3 tactic=daemon"), {});
    ASSERT_TRUE(becomes_true([&] { return (daemon = child_of(warden, worker)) != 0; }));
  }
  EXPECT_TRUE(has_ended(child));
  EXPECT_TRUE(has_ended(daemon));
}

}  // namespace
}  // namespace assay
