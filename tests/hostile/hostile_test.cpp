// What becomes of a hostile kernel: a table of attacks with the verdict on each, and after each a
// look for what is left behind it.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_assay.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::Said;

// How a kernel is run: one case under a check, or many.
enum class Way : std::uint8_t {
  kValues,     // a case, in both placements
  kHangs,      // the same, with a deadline too short for the others on a busy machine
  kManyCalls,  // a case, in hundreds of calls
  kManyCases
};

struct Row {
  const char* attack;
  Way way;
  const char* verdict;  // the first word on stdout; "": one line on stderr, and exit 2
  const char* words;    // in what it says
};

// Those that hang cost a deadline each.
constexpr Row kRows[] = {
    {"nothing", Way::kManyCalls, "Passed", ""},

    {"writes_past_the_end", Way::kValues, "Failed", "memory past the end of y was written"},
    {"reads_past_the_end", Way::kValues, "Crashed", "SIGSEGV: read past the end of x"},
    {"changes_an_input", Way::kValues, "Failed", "an input was changed: row 0 of expert 0 of x"},
    {"changes_the_offsets", Way::kValues, "Failed", "the array offsets was changed"},
    {"changes_an_input_and_restores_it", Way::kValues, "Crashed",
     "wrote byte 0 of x, an input (read-only in this placement)"},
    {"borrows_the_weights", Way::kValues, "Crashed",
     "wrote byte 0 of w, an input (read-only in this placement)"},
    {"changes_the_call", Way::kValues, "Failed", "changed the call that it was given"},
    {"frees_an_operand", Way::kValues, "Crashed", "SIG"},
    {"unmaps_its_output", Way::kManyCases, "Failed", "SIGSEGV: wrote byte"},
    {"answers_later", Way::kValues, "Failed", "never written"},
    {"writes_again_from_a_thread", Way::kManyCases, "Failed", ""},
    {"writes_again_from_a_process", Way::kManyCalls, "Failed", ""},
    {"writes_again_in_the_next_call", Way::kManyCases, "Failed", ""},
    {"sets_the_status_word", Way::kValues, "Failed",
     "the status word was set to 1 although the offsets are valid"},
    {"is_right_once", Way::kValues, "Failed", "never written"},
    {"is_wrong_now_and_then", Way::kManyCases, "Failed", "elements are wrong"},

    {"leaves_a_process", Way::kManyCalls, "Failed", "a process outlives the call"},
    {"leaves_a_daemon", Way::kManyCalls, "Failed", "a process outlives the call"},
    {"leaves_another_program", Way::kManyCalls, "Failed", "a process outlives the call"},
    {"leaves_fifty_processes", Way::kManyCalls, "Failed", "50 processes outlive the calls"},
    {"closes_descriptors", Way::kValues, "Crashed", "closed or read a descriptor of the harness"},
    {"replaces_the_socket", Way::kValues, "Crashed", "closed or read a descriptor of the harness"},
    {"writes_to_the_socket", Way::kValues, "Crashed", "wrote 5 bytes to a descriptor"},
    {"forges_a_packet", Way::kValues, "Crashed", "wrote 4096 bytes to a descriptor"},
    {"exits", Way::kValues, "Crashed", "ended its process with exit status 0"},
    {"exits_at_once", Way::kValues, "Crashed", "ended its process with exit status 77"},
    {"ends_its_thread", Way::kValues, "Crashed", ""},
    {"jumps_out", Way::kValues, "Crashed", "SIGSEGV"},
    {"aborts", Way::kValues, "Crashed", "SIGABRT"},
    {"overflows_its_stack", Way::kValues, "Crashed", "stack overflow"},
    {"throws_an_error", Way::kValues, "Crashed", "the kernel threw an exception: no [31m luck"},
    {"throws_a_number", Way::kValues, "Crashed", "of a type that is not a std::exception"},
    {"throws_much_text", Way::kValues, "Crashed", "the kernel threw an exception: xxx"},
    {"throws_for_want_of_memory", Way::kValues, "Crashed", "std::bad_alloc"},
    {"throws_in_a_thread", Way::kValues, "Crashed", "SIGABRT"},
    {"spins", Way::kHangs, "Hung", "no answer within 1 s"},
    {"stops_itself", Way::kHangs, "Hung", "no answer within 1 s"},
    {"leaves_its_session_and_waits", Way::kHangs, "Hung", "no answer within 1 s"},
    {"prints_much", Way::kValues, "Passed", ""},
    {"prints_escapes_and_aborts", Way::kValues, "Crashed", "SIGABRT"},
    {"answers_with_escapes", Way::kValues, "Failed", "the kernel returned an error"},
    {"answers_without_an_end", Way::kValues, "Failed", "the kernel returned an error: aaa"},
    {"answers_what_is_no_status", Way::kValues, "Failed", "42 is not a status of the ABI"},
    {"kills_its_parent", Way::kValues, "Crashed", "killed by SIGKILL"},

#if defined(__x86_64__)
    {"leaves_subnormals_flushed", Way::kValues, "Failed",
     "left the SSE control word changed: flush-to-zero is on, denormals-are-zero is on"},
    {"flushes_subnormals_and_multiplies", Way::kManyCases, "Failed",
     "left the SSE control word changed: flush-to-zero is on, denormals-are-zero is on"},
    {"shortens_x87", Way::kValues, "Failed", "results are kept in 24 bits"},
    {"leaves_traps", Way::kValues, "Failed", "left floating-point traps enabled: invalid"},
#endif
    {"leaves_rounding_mode", Way::kValues, "Failed", "left the rounding mode changed: upward"},
    {"leaves_rounding_mode_after_a_while", Way::kManyCases, "Failed",
     "left the rounding mode changed: upward"},
    {"blocks_signals", Way::kValues, "Failed", "left SIGHUP, SIGINT, SIGQUIT and"},
    {"ignores_faults", Way::kValues, "Crashed", "the kernel handles SIGSEGV by itself"},
    {"changes_the_folder", Way::kValues, "Failed", "left the working directory changed to '/'"},
    {"sets_a_variable", Way::kValues, "Failed", "left the environment variable 'LC_ALL' set"},
    {"changes_the_umask", Way::kValues, "Failed", "left the umask changed to 000"},
    {"lowers_its_priority", Way::kValues, "Failed", "left the nice value changed to"},
    {"lowers_its_limits", Way::kValues, "Failed", "left the limit of its address space lowered"},
    {"leaves_threads", Way::kManyCalls, "Failed", "calls leave threads behind: 4 a call"},
    {"leaks_a_megabyte", Way::kManyCalls, "Failed", "calls leave bytes of the heap behind: 10"},
    {"leaks_a_descriptor", Way::kManyCalls, "Failed", "calls leave descriptors behind: 1 a call"},
    {"leaves_files", Way::kManyCalls, "Failed", "calls leave files behind: 'assay-hostile-"},
    {"leaves_shared_memory", Way::kManyCalls, "Failed",
     "calls leave files behind: '/dev/shm/assay-hostile'"},

    {"has_no_manifest", Way::kValues, "", ""},
    {"aborts_in_its_manifest", Way::kValues, "", "SIGABRT"},
    {"exits_in_its_manifest", Way::kValues, "", "exit status 0"},
    {"nests_its_manifest", Way::kValues, "", ""},

    // Assay looks for mistakes, not for malice: these do not come about by mistake.
    {"opens_a_guard_page", Way::kValues, "Passed", ""},
    {"stops_its_parent", Way::kValues, "Passed", ""},
    {"opens_its_parents_memory", Way::kValues, "Passed", ""},
};

constexpr const char* kCase = "pass=fwd in=fp32 out=fp32 k=16 n=8 rows=3,5,2";

std::vector<std::string> words_of(Way way, const std::string& folder) {
  const std::string kernel = std::string(ASSAY_BINARY_DIR) + "/tests/hostile_kernel.so";
  switch (way) {
    case Way::kValues:
      return {"run", kCase, "--kernel", kernel};
    case Way::kHangs:
      return {"run", kCase, "--kernel", kernel, "--deadline", "1"};
    case Way::kManyCalls:
      return {"run", kCase, "--kernel", kernel, "--check", "calls_leave_nothing_behind"};
    case Way::kManyCases:
      break;
  }
  return {"certify", kernel,         "--profile",
          "quick",   "--filter",     "exact_integers_match_bitwise|special_values_propagate",
          "--out",   folder + "/out"};
}

std::set<std::string> shared_memory() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("assay")) { names.insert(name); }
  }
  return names;
}

// This process takes in what loses its parent. One that was killed may take a moment to end.
bool has_no_children() {
  for (int i = 0; i < 1000; ++i) {
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {}
    if (ended < 0) { return errno == ECHILD; }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class Hostile : public ::testing::Test {
 protected:
  void SetUp() override {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/temporary");
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }
  Said run(const char* attack, Way way) {
    return testing::assay(words_of(way, folder_), std::string("ASSAY_HOSTILE=") + attack +
                                                      " TMPDIR=" + folder_ + "/temporary");
  }
  // The attacks' own files are theirs to leave.
  void expect_nothing_left() {
    EXPECT_TRUE(has_no_children());
    fs::remove("/dev/shm/assay-hostile");
    EXPECT_THAT(shared_memory(), ::testing::IsEmpty());
    fs::remove_all(folder_ + "/out");
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("assay-hostile-")) {
        fs::remove(entry.path());
      } else if (name != "temporary") {
        ADD_FAILURE() << "left behind: " << name;
      }
    }
    EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
  }

  std::string folder_ = ::testing::TempDir() + "/assay_hostile_test";
};

TEST_F(Hostile, KernelsAreJudgedAndLeaveNothingBehind) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.attack);
    const Said said = run(row.attack, row.way);
    EXPECT_THAT(said.out + said.err, HasSubstr(row.words));
    EXPECT_THAT(said.out + said.err, Not(HasSubstr("\033]")));
    const std::string verdict = row.verdict;
    if (verdict.empty()) {
      EXPECT_EQ(said.exit, 2);
      EXPECT_TRUE(said.one_line_of_error()) << said.err;
    } else {
      EXPECT_EQ(said.exit, verdict == "Passed" ? 0 : 1);
      EXPECT_THAT("\n" + said.out, HasSubstr("\n" + verdict + ": ")) << said.err;
    }
    expect_nothing_left();
  }
}

// Nobody is left to judge it. What it was run by takes its processes along all the same.
TEST_F(Hostile, ADriverThatIsKilledLeavesNothingBehind) {
  const Said said = run("kills_the_driver", Way::kValues);
  EXPECT_NE(said.exit, 0);
  EXPECT_EQ(said.out, "");
  expect_nothing_left();
}

}  // namespace
}  // namespace assay
