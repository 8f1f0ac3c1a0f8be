// Every malformed word: exit 2, nothing on stdout, one line that quotes the word and says what is
// allowed.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_assay.h"

namespace assay {
namespace {

using testing::assay;
using ::testing::HasSubstr;
using testing::Said;

void expect_refusal(const std::vector<std::string>& words, const std::vector<std::string>& parts) {
  const Said said = assay(words);
  EXPECT_EQ(said.exit, 2) << said.out << said.err;
  EXPECT_EQ(said.out, "");
  EXPECT_TRUE(said.one_line_of_error()) << said.err;
  for (const std::string& part : parts) { EXPECT_THAT(said.err, HasSubstr(part)); }
}

class TemporaryFolder : public ::testing::Test {
 protected:
  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                  ("assay_bad_input_" + std::to_string(::getpid()));
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& content) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << content;
    return path;
  }
};
using BadFile = TemporaryFolder;

TEST(BadInput, UnknownCommandsAndOptions) {
  expect_refusal({"certfy"}, {"'certfy'", "certify", "shrink"});
  expect_refusal({}, {"certify"});
  expect_refusal({"help", "certfy"}, {"'certfy'"});
  expect_refusal({"certify", "cpu", "--profil", "ci"}, {"'--profil'", "--profile"});
  expect_refusal({"certify", "cpu", "loop"}, {"'loop'"});
  expect_refusal({"certify"}, {"KERNEL"});
  expect_refusal({"run", "--kernel", "cpu"}, {"CASE"});
  expect_refusal({"run", "pass=fwd k=1 n=1 rows=1"}, {"--kernel"});
  expect_refusal({"list", "kernel"}, {"'kernel'", "kernels"});
  expect_refusal({"bench", "gpus"}, {"'gpus'", "oracle", "cpu", "gpu"});
  expect_refusal({"bench", "oracle", "twice"}, {"'twice'", "--repeats"});
  expect_refusal({"bench"}, {"oracle", "cpu", "gpu"});
  expect_refusal({"help", "certify", "cpu"}, {"'cpu'"});
}

// Words are quoted as one line of printable text, the long ones shortened.
TEST(BadInput, WordsThatATerminalWouldObey) {
  const std::string red = "\x1b[31m", long_word(5000, 'x');
  for (const std::vector<std::string>& words : {std::vector<std::string>{red},
                                                {"certify", "cpu", "--" + red},
                                                {"list", red},
                                                {"certify", "cpu", "--profile", red},
                                                {long_word},
                                                {"list", long_word},
                                                {"help", long_word},
                                                {"certify", "cpu", "--jobs", long_word},
                                                {"certify", "cpu", "--shard", long_word}}) {
    const Said said = assay(words);
    EXPECT_EQ(said.exit, 2) << said.err;
    EXPECT_TRUE(said.one_line_of_error()) << said.err;
    EXPECT_EQ(said.err.find('\x1b'), std::string::npos) << said.err;
    EXPECT_LT(said.err.size(), 1000U) << said.err;
  }
}

// `--sign "$KEY"` of an unset KEY must not leave a certificate unsigned.
TEST(BadInput, OptionsWithoutAWord) {
  for (const char* option : {"--sign", "--waive", "--json", "--out", "--profile", "--selftest"}) {
    expect_refusal({"certify", "cpu", option, ""}, {std::string(option) + ": ''", "leave"});
  }
  expect_refusal({"list", "classes", "--kernel", ""}, {"--kernel: ''"});
  expect_refusal({"bench", "cpu", "--kernel", ""}, {"--kernel: ''"});
}

TEST(BadInput, ValuesOfOptions) {
  expect_refusal({"certify", "cpu", "--seed", "seven"}, {"--seed", "'seven'"});
  expect_refusal({"certify", "cpu", "--jobs", "0"}, {"--jobs", "'0'"});
  expect_refusal({"certify", "cpu", "--budget", "-3"}, {"--budget", "'-3'"});
  expect_refusal({"certify", "cpu", "--budget", "nan"}, {"--budget", "'nan'"});
  expect_refusal({"certify", "cpu", "--filter", "("}, {"'('"});
  expect_refusal({"certify", "cpu", "--filter", "no_such_check"},
                 {"'no_such_check'", "one_expert"});
  expect_refusal({"run", "pass=fwd k=1 n=1 rows=1", "--kernel", "cpu", "--verify", "twice"},
                 {"'twice'", "fingerprint"});
}

// A verdict that nobody could read is no pass.
TEST_F(BadFile, ADiskThatIsFullBehindStdout) {
  const std::string program = shell_word(std::string(ASSAY_BINARY_DIR) + "/assay");
  const std::string errors = (folder_ / "errors").string();
  for (const char* words : {"list", "list fills", "offsets convert 3,3 --from ends",
                            "run 'pass=fwd k=1 n=1 rows=1' --kernel cpu",
                            "certify cpu --profile quick --filter one_expert --quiet --json -"}) {
    const int status = std::system(
        (program + " " + words + " >/dev/full 2>" + shell_word(errors) + " </dev/null").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2) << words;
    const std::string said = testing::slurp(errors);
    EXPECT_THAT(said, HasSubstr("cannot write")) << words;
    EXPECT_EQ(said.substr(said.rfind("cannot write")).find('\n'),
              said.size() - said.rfind("cannot write") - 1)
        << said;
  }
}

TEST(BadInput, Cases) {
  const auto refused = [](const std::string& text, const std::vector<std::string>& parts) {
    expect_refusal({"run", text, "--kernel", "cpu"}, parts);
  };
  refused("pass=forward k=1 n=1 rows=1", {"pass=forward", "fwd"});
  refused("pass=fwd k=1 rows=1", {"n"});
  refused("pass=fwd k=1 n=1 rows=1 colour=red", {"colour"});
  refused("pass=fwd k=1 n=1 rows=1,x", {"x"});
  refused("pass=fwd k=1 n=1 rows=1 k=2", {"k"});
  refused("pass=fwd k=0 n=1 rows=1", {"k=0"});
  expect_refusal({"shrink", "pass=fwd", "k=1", "n=1", "rows=-1", "--kernel", "cpu"}, {"-1"});
}

TEST(BadInput, KernelsAndChecks) {
  expect_refusal({"run", "pass=fwd k=1 n=1 rows=1", "--kernel", "gpu"}, {"'gpu'", "cpu", "loop"});
  expect_refusal({"certify", "./no_such.so", "--profile", "quick"}, {"no_such.so"});
  expect_refusal({"run", "pass=fwd k=1 n=1 rows=1", "--kernel", "cpu", "--check", "is_right"},
                 {"'is_right'", "one_expert"});
}

TEST_F(BadFile, APluginThatIsNone) {
  expect_refusal({"certify", file("text.so", "not a library"), "--profile", "quick"}, {"text.so"});
}

TEST_F(BadFile, Profiles) {
  expect_refusal({"certify", "cpu", "--profile", "nightly"}, {"'nightly'", "quick"});
  const std::string path = file("mine.profile",
                                "profile=mine certifies=none\n"
                                "check=one_expert generator=tiny count=3 seed=1\n");
  expect_refusal({"certify", "cpu", "--profile", path}, {"mine.profile:2", "'tiny'", "small"});
}

TEST_F(BadFile, AReportThatCannotBeWrittenIsRefusedBeforeTheRun) {
  expect_refusal({"certify", "cpu", "--json", (folder_ / "no" / "such.json").string()},
                 {"such.json", "No such file"});
  expect_refusal({"certify", "cpu", "--json", folder_.string()}, {"expected a file"});
}

TEST_F(BadFile, CasesAndStepsBefore) {
  const std::string one = "pass=fwd k=1 n=1 rows=1";
  const auto refused = [&](const std::vector<std::string>& more,
                           const std::vector<std::string>& parts) {
    std::vector<std::string> words{"run", "--kernel", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(words, parts);
  };
  refused({"--cases", file("empty", "")}, {"empty", "holds no case"});
  refused({"--cases", folder_.string()}, {"it is a folder"});
  refused({"--cases", "/dev/zero"}, {"/dev/zero", "a device"});
  refused({"--cases", file("cases", one + "\nk=2\n")}, {"cases:2"});
  // What is for one case alone is not passed over in silence.
  for (const std::vector<std::string>& option :
       std::vector<std::vector<std::string>>{{"--before", "one_expert: " + one},
                                             {"--verify", "fast"},
                                             {"--exact"},
                                             {"--repeats", "2"},
                                             {"--dump", folder_.string()},
                                             {"--tile-map", "-"}}) {
    std::vector<std::string> words{"--cases", file("cases", one + "\n")};
    words.insert(words.end(), option.begin(), option.end());
    refused(words, {"--cases", option[0]});
  }
  refused({one, "--before", "@" + (folder_ / "none").string()}, {"none", "No such file"});
  refused({one, "--before", "@" + file("steps", "one_expert: " + one + "\nk=2\n")},
          {"steps:2", "'k=2'"});
  refused({one, "--before", "@" + file("no_steps", "\n")}, {"no_steps", "holds no step"});
}

// Each says why a file is none.
TEST_F(BadFile, AFolderInTheirPlace) {
  const std::string folder = folder_.string() + "/";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"certify", "cpu", "--profile", folder},
                                             {"certify", "cpu", "--waive", folder},
                                             {"certify", "cpu", "--selftest", folder},
                                             {"selftest", "--defects", folder},
                                             {"bench", "gpu", "--cases", folder},
                                             {"bench", "gpu", "--against", folder},
                                             {"verify", folder}}) {
    expect_refusal(words, {folder, "it is a folder"});
  }
}

TEST_F(BadFile, MergeMakesNoFolderForPartsThatItCannotRead) {
  expect_refusal({"merge", (folder_ / "part").string(), "--out", (folder_ / "merged").string()},
                 {"part", "No such file"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "merged"));
}

TEST_F(BadFile, AFolderThatCannotBeWritten) {
  const std::string path = file("taken", "a file");
  expect_refusal({"run", "pass=fwd k=1 n=1 rows=1", "--kernel", "cpu", "--dump", path}, {"taken"});
}

// Rejected before a GPU is asked for.
TEST_F(BadFile, WhatTheGpuBenchReads) {
  const auto refused = [](std::vector<std::string> words, const std::vector<std::string>& parts) {
    words.insert(words.begin(), {"bench", "gpu"});
    expect_refusal(words, parts);
  };
  refused({"--case", "seed-skewed"}, {"'seed-skewed'", "seed-skew"});
  refused({"--rows", "zip(1)"}, {"'zip(1)'", "zipf"});
  refused({"--rows", "0,0"}, {"'0,0'", "no rows"});
  refused({"--cases", file("cases.csv", "a,8,8,x\n")}, {"line 1", "'x'"});
  refused({"--cases", (folder_ / "none.csv").string()}, {"none.csv"});
  refused({"--against", file("run.json", "{}")}, {"run.json", "format"});
  refused({"--json", folder_.string()}, {"expected a file"});
  refused({"--tactic", "few"}, {"'few'", "all"});
  refused({"--kernel", "no_such_kernel"}, {});
}

TEST_F(BadFile, ListsOfDefects) {
  expect_refusal({"selftest", "--defects", (folder_ / "none.json").string()}, {"none.json"});
  expect_refusal({"selftest", "--filter", "drop", "--json", "-"}, {"--json", "--filter"});
  expect_refusal({"selftest", "--rules", "--mixups"}, {"--rules", "--mixups"});
  expect_refusal({"selftest", "--defects", file("broken.json", "[{")}, {"broken.json", "not JSON"});
  expect_refusal({"selftest", "--defects", file("empty.json", "[{\"name\": 3}]")},
                 {"defect 1", "'name'"});
}

TEST_F(BadFile, DefectsOfTheGpuKernelsNeedTheirGpu) {
  const std::string plugin = ASSAY_BINARY_DIR "/test_plugins/harness/wants_a_gpu.so";
  const std::string list =
      file("gpu.json",
           R"([{"name": "any", "kind": "O", "sentence": "Any.", "plugin": ")" + plugin + "\"}]");
  expect_refusal({"selftest", "--gpu", "--defects", list}, {"compute capability"});
}

TEST(BadInput, OffsetsNameTheEntry) {
  expect_refusal({"offsets", "convert", "3,2,8", "--from", "ends"}, {"2", "3"});
  expect_refusal({"offsets", "validate", "3,3,8", "--as", "ends", "--rows", "7"}, {"8", "7"});
  expect_refusal({"offsets", "validate", "3,x", "--as", "ends"}, {"'3,x'"});
  expect_refusal({"offsets", "convert", "3,3", "--from", "endings"}, {"endings", "ends"});
  expect_refusal({"offsets", "validate", "0,3", "--as", "starts"}, {"--sizes"});
  expect_refusal({"offsets"}, {"subcommand"});
}

}  // namespace
}  // namespace assay
