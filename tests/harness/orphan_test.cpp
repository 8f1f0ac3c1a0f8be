// A worker does not outlive its driver, not even while its kernel hangs.
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

pid_t child_of(pid_t parent) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && parent_of(pid) == parent) return pid;
  }
  return 0;
}

// Gone, or a zombie that nobody is there to reap.
bool has_ended(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string word, name, state;
  stat >> word >> name >> state;
  return !stat || state == "Z";
}

template <class Condition>
bool becomes_true(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Worker, EndsWithItsDriver) {
  const Problem problem = problem_of("pass=fwd k=1 n=4 rows=3");
  const pid_t driver = fork();
  if (driver == 0) {
    worker_of("hangs", 60)->run(problem, {});
    _exit(0);
  }
  pid_t worker = 0;
  ASSERT_TRUE(becomes_true([&] { return (worker = child_of(driver)) != 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ASSERT_EQ(kill(worker, 0), 0);
  kill(driver, SIGKILL);
  waitpid(driver, nullptr, 0);
  EXPECT_TRUE(becomes_true([&] { return has_ended(worker); }));
}

TEST(Worker, EndsWithItsSession) {
  pid_t worker = 0;
  {
    const auto session = worker_of("naive");
    worker = child_of(getpid());
    ASSERT_NE(worker, 0);
  }
  EXPECT_NE(kill(worker, 0), 0);
}

}  // namespace
}  // namespace assay
