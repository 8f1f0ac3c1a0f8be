// Python kernels through the command: certified, refused, and misbehaving.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/core/text.h"
#include "tests/cli/run_assay.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using testing::Said;

const std::string kInterpreter = "ASSAY_PYTHON=" ASSAY_TEST_PYTHON;
const std::string kKernels = ASSAY_SOURCE_DIR "/tests/python/kernels/";
const std::string kNumpyGrouped = "py:" ASSAY_SOURCE_DIR "/src/examples/numpy_grouped.py";

Said with_python(const std::vector<std::string>& words) {
  return testing::assay(words, kInterpreter);
}

Said run_one(const std::string& kernel, const std::string& line) {
  return with_python({"run", line, "--kernel", kernel});
}

std::string kernel(const std::string& name) { return "py:" + kKernels + name; }

class KernelFile : public ::testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("assay_py_" + std::to_string(::getpid()));
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& content) {
    const std::string path = (folder_ / "kernel.py").string();
    std::ofstream(path) << content;
    return path;
  }
  void expect_refusal(const std::string& content, const std::vector<std::string>& parts) {
    const Said said = with_python({"certify", "py:" + file(content)});
    EXPECT_EQ(said.exit, 2) << said.out << said.err;
    EXPECT_TRUE(said.one_line_of_error()) << said.err;
    for (const std::string& part : parts) { EXPECT_THAT(said.err, HasSubstr(part)); }
  }
};

const char* const kForward = "pass=fwd in=fp32 k=8 n=4 rows=3,2,0,5 weights=ekn";

TEST(PythonKernel, PassesEveryCheckOfThePasses) {
  for (const char* const line :
       {"pass=fwd in=fp32 k=8 n=4 rows=3,2,0,5 tail=2", "pass=dgrad in=fp32 k=8 n=4 rows=3,2 ld=3",
        "pass=wgrad in=fp32 k=8 n=4 rows=3,0,5 weights=ekn acc=2 offsets=indptr"}) {
    const Said said = run_one(kNumpyGrouped, line);
    EXPECT_EQ(said.exit, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("Passed"));
  }
}

TEST(PythonKernel, CertifiesASubsetOfChecks) {
  const Said said = with_python({"certify", kNumpyGrouped, "--profile", "quick", "--filter",
                                 "exact_integers|nothing_else|concurrent"});
  EXPECT_THAT(said.out, HasSubstr("3 passed, 0 failed")) << said.out << said.err;
}

TEST(PythonKernel, ReadsScales) {
  for (const char* const line :
       {"pass=fwd in=e4m3/row out=fp32 k=24 n=40 rows=3,0,5 tail=2 fill=coded",
        "pass=fwd in=int8/row out=fp32 k=24 n=40 rows=3,0,5 tail=2 fill=normal",
        "pass=fwd in=e4m3/block128 out=fp32 k=300 n=140 rows=3,2 weights=ekn fill=normal",
        "pass=fwd in=e4m3/nv out=fp32 k=140 n=131 rows=3,0,129 scale_layout=32_4_4 fill=normal",
        "pass=fwd in=e4m3/block128 out=fp32 k=640 n=130 rows=3,2 scale_layout=32_4_4",
        "pass=fwd in=e4m3/block128 out=e4m3/tensor k=300 n=140 rows=3,0,90 fill=normal",
        "pass=fwd in=e4m3/block128 out=e4m3/tensor k=300 n=140 rows=3,0,90 fill=special"}) {
    const Said said = run_one(kernel("scaled.py"), line);
    EXPECT_EQ(said.exit, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("Passed"));
  }
  const Said other = run_one(kernel("scaled.py"), "pass=fwd in=e4m3 out=fp32 k=8 n=8 rows=3");
  EXPECT_THAT(other.out, HasSubstr("Unsupported")) << other.out << other.err;
  EXPECT_THAT(other.out, HasSubstr("in=e4m3 out=fp32 is not among the manifest's formats"));
}

TEST(PythonKernel, APlantedMistakeIsNamed) {
  const Said said = with_python({"certify", kernel("last_row_is_dropped.py"), "--profile", "quick",
                                 "--filter", "exact_integers_match_bitwise"});
  EXPECT_EQ(said.exit, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("never_written: nothing of the output is written"));
}

TEST(PythonKernel, ExceptionsFailWithTheirTraceback) {
  const std::string large = "pass=fwd in=fp32 k=41 n=4 rows=3 weights=ekn";
  const Said raised = run_one(kernel("misbehaves.py:raises"), large);
  EXPECT_EQ(raised.exit, 1) << raised.err;
  EXPECT_THAT(raised.out, HasSubstr("ValueError: k=41 is beyond me <- misbehaves.py:"));
  EXPECT_THAT(raised.out, HasSubstr("in raises: raise ValueError"));
  const Said left = run_one(kernel("misbehaves.py:leaves"), large);
  EXPECT_EQ(left.exit, 1) << left.err;
  EXPECT_THAT(left.out, HasSubstr("SystemExit: 3"));
  const Said refused = run_one(kernel("misbehaves.py:refuses"), large);
  EXPECT_THAT(refused.out, HasSubstr("refused a case that the manifest declares: k is beyond me"));
}

TEST(PythonKernel, WhatIsNotDeclaredIsRefusedBeforeTheFunctionRuns) {
  for (const char* const line :
       {"pass=dgrad in=fp32 k=8 n=4 rows=3 weights=ekn", "pass=fwd in=fp32 k=8 n=4 rows=3",
        "pass=fwd in=fp32 k=8 n=4 rows=3 weights=ekn offsets=counts",
        "pass=fwd in=fp16 k=8 n=4 rows=3 weights=ekn"}) {
    const Said said = run_one(kernel("misbehaves.py:raises"), line);
    EXPECT_EQ(said.exit, 3) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("Unsupported"));
  }
}

TEST(PythonKernel, CrashesAndHangsAreFindings) {
  const Said crashed =
      run_one(kernel("misbehaves.py:segfaults"), "pass=fwd in=fp32 k=8 n=3 rows=3 weights=ekn");
  EXPECT_EQ(crashed.exit, 1);
  EXPECT_THAT(crashed.out, HasSubstr("SIGSEGV: read at 0x8, a null pointer"));
  const Said hung = with_python({"run", "pass=fwd in=fp32 k=3 n=8 rows=3 weights=ekn", "--kernel",
                                 kernel("misbehaves.py:hangs"), "--deadline", "1"});
  EXPECT_EQ(hung.exit, 1);
  EXPECT_THAT(hung.out, HasSubstr("Hung"));
}

// The words of a finding's last line, as a shell would split them.
Said replay(const std::string& report) {
  const std::size_t at = report.find("assay run ");
  const std::string line = report.substr(at, report.find('\n', at) - at);
  std::vector<std::string> words;
  bool quoted = false;
  words.emplace_back();
  for (const char c : line.substr(std::string("assay ").size())) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return with_python(words);
}

TEST(PythonKernel, AFailureAfterFiftyCallsComesWithThem) {
  const Said said = with_python({"certify", kernel("fails_after_fifty_calls.py"), "--profile",
                                 "quick", "--jobs", "1", "--filter", "exact_integers"});
  EXPECT_EQ(said.exit, 1);
  EXPECT_THAT(said.out, HasSubstr("earlier_calls: right in a fresh process, wrong after 25"));
  const Said again = replay(said.out);
  EXPECT_EQ(again.exit, 1) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("1 of 1 elements are wrong"));
}

TEST(PythonKernel, AnAlmostEmptyManifestIsProbed) {
  const Said said = with_python({"run", "pass=fwd in=fp32 k=8 n=4 rows=3,2 weights=ekn", "--kernel",
                                 kernel("declares_nothing.py")});
  EXPECT_EQ(said.exit, 0) << said.out << said.err;
  EXPECT_THAT(said.err, HasSubstr("declares too little; as probed:"));
  const Said other = with_python({"run", "pass=fwd in=fp32 k=8 n=4 rows=3,2 offsets=counts",
                                  "--kernel", kernel("declares_nothing.py")});
  EXPECT_THAT(other.out, HasSubstr("Unsupported"));
}

// What a shell command prints, its exit status with it.
Said shell(const std::string& command) {
  const std::string file =
      ::testing::TempDir() + "/assay_python_shell_" + std::to_string(::getpid());
  const int status = std::system((command + " >" + file + " 2>&1 </dev/null").c_str());
  Said said{
      .exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .out = testing::slurp(file), .err = ""};
  std::filesystem::remove(file);
  return said;
}

std::string pytest_with(const std::string& python_path) {
  return "cd " + shell_word(kKernels) +
         " && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" + shell_word(python_path) + " " +
         ASSAY_TEST_PYTHON + " -m pytest -q -rfs -p no:cacheprovider -p assay.pytest_plugin " +
         "--assay-profile two_checks.profile ./kernels_in_pytest.py";
}

TEST(PythonModule, IsAPytestPlugInWithATestForEachCheck) {
  const Said said = shell(pytest_with(ASSAY_BINARY_DIR "/python"));
  EXPECT_EQ(said.exit, 1) << said.out;
  // Two checks of the right kernel, its probe and three functions pass, three of the wrong fail.
  EXPECT_THAT(said.out, HasSubstr("3 failed, 6 passed"));
  EXPECT_THAT(said.out, HasSubstr("kernels_in_pytest.py::last_row_is_dropped::exact_integers_match"
                                  "_bitwise"));
  EXPECT_THAT(said.out, HasSubstr("  case    pass=fwd in=fp32"));
  EXPECT_THAT(said.out, HasSubstr("not in the profile"));
}

TEST(PythonModule, InstallsFromAWheelThatHoldsItsPrograms) {
  const std::filesystem::path place =
      std::filesystem::path(::testing::TempDir()) / ("assay_wheel_" + std::to_string(::getpid()));
  std::filesystem::remove_all(place);
  std::filesystem::create_directories(place);
  const std::string python = ASSAY_TEST_PYTHON;
  // pip is not everywhere: the back end is asked as pip asks it.
  const Said built =
      shell("cd " + shell_word(ASSAY_SOURCE_DIR "/src/python") +
            " && ASSAY_BUILD=" + shell_word(ASSAY_BINARY_DIR) + " PYTHONDONTWRITEBYTECODE=1 " +
            python + " -c 'import build_backend, sys, zipfile, os; n = " +
            "build_backend.build_wheel(sys.argv[1]); z = zipfile.ZipFile(" +
            "os.path.join(sys.argv[1], n)); z.extractall(sys.argv[1]); " +
            "[os.chmod(os.path.join(sys.argv[1], e.filename), " +
            "e.external_attr >> 16) for e in z.infolist() if e.external_attr]' " + place.string());
  ASSERT_EQ(built.exit, 0) << built.out;
  const Said said = shell("cd / && PYTHONPATH=" + place.string() + " " + python +
                          " -c 'import assay.command; print(assay.command.find_command()); " +
                          "assay.command.main()' run 'pass=fwd in=fp32 k=8 n=4 rows=3,2' " +
                          "--kernel " + shell_word(kNumpyGrouped));
  EXPECT_EQ(said.exit, 0) << said.out;
  EXPECT_THAT(said.out, HasSubstr((place / "assay/bin/assay").string()));
  EXPECT_THAT(said.out, HasSubstr("Passed"));
  std::filesystem::remove_all(place);
}

TEST_F(KernelFile, WithoutAKernelOrWithTwo) {
  expect_refusal("x = 1\n", {"declares no kernel", "@assay.kernel"});
  const std::string two =
      "import assay\n@assay.kernel\ndef a(call): pass\n@assay.kernel\ndef b(call): pass\n";
  expect_refusal(two, {"2 kernels, a, b", "kernel.py:a"});
  const Said said = with_python({"certify", "py:" + file(two) + ":c"});
  EXPECT_EQ(said.exit, 2);
  EXPECT_THAT(said.err, HasSubstr("no kernel 'c'; it declares a, b"));
}

TEST_F(KernelFile, ThatDoesNotImport) {
  expect_refusal("import no_such_module\n", {"No module named 'no_such_module'", "ASSAY_PYTHON"});
  expect_refusal("def f(:\n", {"does not import", "SyntaxError"});
  expect_refusal("1 / 0\n", {"ZeroDivisionError", "kernel.py:1"});
  const Said missing = with_python({"certify", "py:" + (folder_ / "none.py").string()});
  EXPECT_EQ(missing.exit, 2);
  EXPECT_THAT(missing.err, HasSubstr("there is no file"));
}

TEST_F(KernelFile, OfAWrongSignatureOrManifest) {
  expect_refusal("import assay\n@assay.kernel\ndef a(x, w): pass\n",
                 {"'a(x, w)' does not take one argument"});
  expect_refusal("import assay\n@assay.kernel(passes=7)\ndef a(call): pass\n", {"'passes'", "7"});
  expect_refusal("import assay\n@assay.kernel(passes={1})\ndef a(call): pass\n", {"no JSON"});
  expect_refusal("import assay\n@assay.kernel(colour='red')\ndef a(call): pass\n", {"colour"});
}

TEST_F(KernelFile, WithoutAnInterpreter) {
  const std::string path = file("");
  for (const char* const name : {"no-such-python", "/no/such/python"}) {
    const Said said =
        testing::assay({"certify", "py:" + path}, std::string("ASSAY_PYTHON=") + name);
    EXPECT_EQ(said.exit, 2) << said.err;
    EXPECT_TRUE(said.one_line_of_error()) << said.err;
    EXPECT_THAT(said.err, HasSubstr(std::string("'") + name + "' cannot be executed"));
  }
}

}  // namespace
}  // namespace assay
