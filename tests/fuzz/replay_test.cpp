// The replay programs as a stranger meets them: corrupt files, empty folders, failing kernels.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "src/core/text.h"

namespace {

namespace fs = std::filesystem;

struct Ran {
  int exit_code = -1;  // -1: ended by a signal
  std::string output;
};

Ran run(const std::string& command) {
  Ran ran;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) { return ran; }
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) { ran.output += buffer; }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) { ran.exit_code = WEXITSTATUS(status); }
  return ran;
}

class Replay : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("replay_" + std::string(info->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  Ran replay(const std::string& kernel = "cpu") const {
    return run("ASSAY_FUZZ_KERNEL='" + kernel +
               "' '" ASSAY_BINARY_DIR "/fuzz/fuzz_kernel_replay' '" + folder_.string() + "'");
  }
  static std::string plugin(const std::string& name) {
    return ASSAY_BINARY_DIR "/test_plugins/harness/" + name + ".so";
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST_F(Replay, RunsEveryFile) {
  write("one.case", "pass=fwd k=8 n=8 rows=3,0,4\n");
  write("two.case", "# with a remark\npass=wgrad k=8 n=8 rows=0,5 out=fp32\n");
  const Ran ran = replay();
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_NE(ran.output.find("2 replayed, 0 corrupt, 0 unreadable\n"), std::string::npos);
}

TEST_F(Replay, NothingToReplayIsAnError) {
  const Ran ran = replay();
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_NE(ran.output.find("nothing to replay"), std::string::npos) << ran.output;
}

TEST_F(Replay, NamesCorruptFilesAndGoesOn) {
  write("a.case", "pass=fwd k=8 n=8 ro");
  write("b.case", "");
  write("c.case", std::string("\0\1\2\377", 4));
  write("d.case", "pass=fwd k=8 n=8 rows=3\n");
  const Ran ran = replay();
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_NE(ran.output.find("a.case: is not an input"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("1 replayed, 3 corrupt, 0 unreadable: Incomplete"), std::string::npos)
      << ran.output;
}

TEST_F(Replay, NamesUnreadableFilesAndGoesOn) {
  fs::create_symlink(folder() / "nowhere", folder() / "a.case");
  ASSERT_EQ(std::system(("mkfifo '" + (folder() / "b.case").string() + "'").c_str()), 0);
  write("c.case", "pass=fwd k=8 n=8 rows=3\n");
  const Ran ran = replay();
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_NE(ran.output.find("b.case: cannot be read"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("1 replayed, 0 corrupt, 2 unreadable"), std::string::npos)
      << ran.output;
}

TEST_F(Replay, AWrongKernelAbortsWithTheReplayLine) {
  write("a.case", "pass=fwd k=8 n=8 rows=3,0,4\n");
  EXPECT_EQ(replay(plugin("naive")).exit_code, 0);
  const Ran ran = replay(plugin("skips_last"));
  EXPECT_NE(ran.exit_code, 0);
  EXPECT_NE(ran.exit_code, 77);
  EXPECT_NE(ran.output.find("Failed: "), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("replay: ./run assay run 'pass=fwd k=8 n=8 rows=3,0,4' --kernel " +
                            assay::shell_word(plugin("skips_last"))),
            std::string::npos)
      << ran.output;
}

TEST_F(Replay, ACrashPrintsTheReplayLine) {
  write("a.case", "pass=fwd k=8 n=8 rows=3,0,4\n");
  const Ran ran = replay(plugin("segfaults"));
  EXPECT_NE(ran.exit_code, 0);
  EXPECT_NE(ran.exit_code, 77);
  EXPECT_NE(ran.output.find("replay: ./run assay run 'pass=fwd k=8 n=8 rows=3,0,4'"),
            std::string::npos)
      << ran.output;
}

TEST_F(Replay, AKernelThatDoesNotOpenIsBadInput) {
  write("a.case", "pass=fwd k=8 n=8 rows=3\n");
  const Ran ran = replay("./nowhere.so");
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_NE(ran.output.find("ASSAY_FUZZ_KERNEL='./nowhere.so'"), std::string::npos) << ran.output;
}

}  // namespace
