// The command on a machine, or under limits, that has not got what it needs: one line, no crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_assay.h"
#include "tests/core/sanitized.h"

namespace assay {
namespace {

using testing::assay;
using ::testing::HasSubstr;
using testing::kSanitized;
using testing::Said;

// 64 GB of addresses, which a sanitizer takes for itself: there the machine's memory is the limit.
const std::string kFewAddresses = kSanitized ? "" : "prlimit --as=64000000000";

std::string plugin(const std::string& name) {
  return std::string(ASSAY_BINARY_DIR "/test_plugins/harness/") + name + ".so";
}

void expect_one_line(const std::string& limit, const std::vector<std::string>& words,
                     const std::string& part) {
  const Said said = assay(words, limit);
  EXPECT_EQ(said.exit, 2) << limit << ": " << said.out << said.err;
  EXPECT_EQ(said.out, "") << limit;
  EXPECT_TRUE(said.one_line_of_error()) << limit << ": " << said.err;
  EXPECT_THAT(said.err, HasSubstr(part));
}

const std::string kCase = "pass=fwd in=fp32 k=8 n=4 rows=3,2";

TEST(Limits, ACaseThatIsTooLargeForTheMachineIsNotRun) {
  const std::string line = "pass=fwd in=fp32 k=250000 n=250000 rows=250000";
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--verify", "fast"}, {"--repeats", "2"}}) {
    std::vector<std::string> words = {"run", line, "--kernel", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = assay(words, kFewAddresses);
    EXPECT_EQ(said.exit, 3) << said.err;
    EXPECT_THAT(said.out, AllOf(HasSubstr("NotRun: "), HasSubstr("the case needs "),
                                HasSubstr("TB of memory, "), HasSubstr(" are available\n")));
    EXPECT_EQ(said.err, "");
  }
}

TEST(Limits, AWorkspaceThatNoMachineHasLeavesTheRunIncomplete) {
  const std::string kernel = plugin("wants_much_workspace");
  const Said one = assay({"run", kCase, "--kernel", kernel}, kFewAddresses);
  EXPECT_EQ(one.exit, 3) << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr("NotRun: "), HasSubstr("manifest's workspace_bytes)")));
  const Said said =
      assay({"certify", kernel, "--profile", "quick", "--filter", "match_bitwise"}, kFewAddresses);
  EXPECT_EQ(said.exit, 3) << said.err;
  EXPECT_THAT(said.out, HasSubstr("Incomplete: "));
  EXPECT_THAT(said.out, HasSubstr("  incomplete: 2 checks (exact_integers_match_bitwise, "
                                  "anchored_integers_match_bitwise): none of "));
  const std::size_t first = said.out.find("  incomplete: ");
  EXPECT_EQ(said.out.find("  incomplete: ", first + 1), std::string::npos) << said.out;
}

TEST(Limits, AStackThatIsTooSmallIsSaidAtOnce) {
  if (kSanitized) { GTEST_SKIP() << "the sanitizer itself needs more"; }
  expect_one_line("prlimit --stack=65536", {"run", kCase, "--kernel", "cpu"},
                  "the stack is limited to 64 kB, 1024 are needed");
}

TEST(Limits, AFileSizeThatIsTooSmallIsAnErrorAndNoSignal) {
  expect_one_line("prlimit --fsize=100000", {"run", kCase, "--kernel", "cpu"},
                  "cannot size shared memory (ulimit -f): File too large");
}

TEST(Limits, FewDescriptorsDoForOneWorker) {
  const Said said = assay({"certify", "cpu", "--profile", "quick", "--filter", "^one_expert$"},
                          "prlimit --nofile=12");
  EXPECT_EQ(said.exit, 0) << said.out << said.err;
  expect_one_line("prlimit --nofile=6", {"run", kCase, "--kernel", "cpu"}, "Too many open files");
}

}  // namespace
}  // namespace assay
