#include "src/core/machine_memory.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

#include <gtest/gtest.h>

namespace assay {
namespace {

using Files = std::map<std::string, std::string>;

// A system's files, as it shows them.
class FakeSystem {
 public:
  explicit FakeSystem(const Files& files) {
    std::filesystem::remove_all(root_);
    for (const auto& [name, content] : files) {
      const std::filesystem::path path = root_ / name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << content;
    }
  }
  ~FakeSystem() { std::filesystem::remove_all(root_); }
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;
  SystemFolders folders() const { return {(root_ / "proc").string(), (root_ / "cg").string()}; }

 private:
  std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("assay_memory_" + std::to_string(::getpid()));
};

// A sixteenth stays.
Index less_a_sixteenth(Index bytes) { return bytes - bytes / 16; }

const std::string kMemInfo =
    "MemTotal:       2000 kB\nMemFree:        100 kB\nMemAvailable:   1600 kB\n"
    "CommitLimit:    1000 kB\nCommitted_AS:    200 kB\n";

TEST(AvailableMemory, IsWhatTheSystemCallsAvailable) {
  const FakeSystem system(
      Files{{"proc/meminfo", kMemInfo}, {"proc/sys/vm/overcommit_memory", "0\n"}});
  EXPECT_EQ(available_memory(system.folders()), less_a_sixteenth(1600 * 1024));
}

TEST(AvailableMemory, IsWhatIsNotPromisedWhereNothingIsOvercommitted) {
  const FakeSystem system(
      Files{{"proc/meminfo", kMemInfo}, {"proc/sys/vm/overcommit_memory", "2\n"}});
  EXPECT_EQ(available_memory(system.folders()), less_a_sixteenth(800 * 1024));
}

TEST(AvailableMemory, IsTheLeastThatAControlGroupUpTheHierarchyLeaves) {
  const FakeSystem system(Files{{"proc/meminfo", kMemInfo},
                                {"proc/self/cgroup", "0::/slice/job one\n"},
                                {"cg/slice/job one/memory.max", "max\n"},
                                {"cg/slice/job one/memory.current", "500000\n"},
                                {"cg/slice/memory.max", "1000000\n"},
                                {"cg/slice/memory.current", "700000\n"},
                                {"cg/slice/memory.stat",
                                 "anon 400000\ninactive_file 50000\nactive_file 30000\n"
                                 "slab_reclaimable 20000\nslab 90000\n"}});
  EXPECT_EQ(available_memory(system.folders()), less_a_sixteenth(1000000 - 600000));
}

TEST(AvailableMemory, KnowsTheFirstVersionOfControlGroups) {
  const FakeSystem system(
      Files{{"proc/meminfo", kMemInfo},
            {"proc/self/cgroup", "9:cpu:/other\n4:cpuset,memory:/a\n0::/\n"},
            {"cg/memory/a/memory.limit_in_bytes", "900000\n"},
            {"cg/memory/a/memory.usage_in_bytes", "500000\n"},
            {"cg/memory/a/memory.stat", "inactive_file 7\ntotal_inactive_file 100000\n"},
            {"cg/memory/memory.limit_in_bytes", "9223372036854771712\n"},
            {"cg/memory/memory.usage_in_bytes", "800000\n"}});
  EXPECT_EQ(available_memory(system.folders()), less_a_sixteenth(500000));
}

TEST(AvailableMemory, IsNothingWhereAGroupIsOverItsLimit) {
  const FakeSystem system(Files{{"proc/meminfo", kMemInfo},
                                {"proc/self/cgroup", "0::/\n"},
                                {"cg/memory.high", "1000\n"},
                                {"cg/memory.current", "2000\n"}});
  EXPECT_EQ(available_memory(system.folders()), 0);
}

TEST(AvailableMemory, IsMoreThanNothingHere) { EXPECT_GT(available_memory(), 0); }

TEST(MemoryKills, AreThoseOfTheControlGroup) {
  const FakeSystem second(
      Files{{"proc/self/cgroup", "0::/job\n"},
            {"proc/vmstat", "nr_free_pages 1\noom_kill 9\n"},
            {"cg/job/memory.events", "low 0\noom 4\noom_kill 3\noom_group_kill 1\n"}});
  EXPECT_EQ(memory_kills(second.folders()).count, 3);
  EXPECT_EQ(memory_kills(second.folders()).where, "in this control group");
}

TEST(MemoryKills, AreThoseOfTheMachineWhereNoGroupTells) {
  const FakeSystem first(
      Files{{"proc/self/cgroup", "4:memory:/job\n"},
            {"cg/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"}});
  EXPECT_EQ(memory_kills(first.folders()).count, 2);
  const FakeSystem none(Files{{"proc/vmstat", "nr_free_pages 1\noom_kill 9\n"}});
  EXPECT_EQ(memory_kills(none.folders()).count, 9);
  EXPECT_EQ(memory_kills(none.folders()).where, "on this machine");
  const FakeSystem silent(Files{{"proc/meminfo", kMemInfo}});
  EXPECT_EQ(memory_kills(silent.folders()).count, -1);
}

TEST(MemoryText, HasOneDigitAfterThePoint) {
  EXPECT_EQ(memory_text(0), "0 B");
  EXPECT_EQ(memory_text(999), "999 B");
  EXPECT_EQ(memory_text(40'000'000'000), "40.0 GB");
  EXPECT_EQ(memory_text(999'960'000), "1.0 GB");
  EXPECT_EQ(memory_text(Index{1} << 40), "1.1 TB");
}

}  // namespace
}  // namespace assay
