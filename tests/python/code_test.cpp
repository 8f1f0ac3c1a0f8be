// The modules behind a Python kernel are in its certificate, which holds for no others.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_assay.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Said;

constexpr const char* kKernel = R"(import assay
import helper
import numpy as np


@assay.kernel(passes=["fwd"], formats=["fp32"], weights=["ekn"], offsets=["ends"], base_bytes=4,
              arithmetic={"kind": "fma", "order": "any"})
def grouped(call):
    import parts.late
    x, w, y, ends = (np.asarray(t) for t in (call.x, call.w, call.y, call.offsets))
    for g, rows in enumerate(helper.rows_of(ends)):
        y[rows] = parts.late.product(x[rows], w[g])
)";
constexpr const char* kHelper = R"(def rows_of(ends):
    start = 0
    for end in ends:
        yield slice(start, end)
        start = end
)";
constexpr const char* kLate = "def product(a, b):\n    return a @ b\n";
constexpr const char* kProfile =
    "profile=small certifies=cpu\n"
    "check=exact_integers_match_bitwise generator=small count=60 seed=1\n";

class PythonCode : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "parts");
    write("kern.py", kKernel);
    write("helper.py", kHelper);
    write("parts/__init__.py", "");
    write("parts/late.py", kLate);
    write("small.profile", kProfile);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  Said certify() const {
    return testing::assay({"certify", "py:" + at("kern.py"), "--profile", at("small.profile"),
                           "--out", at("out"), "--json", at("report.json")},
                          "ASSAY_PYTHON=" ASSAY_TEST_PYTHON);
  }
  Said verify(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"verify", at("out/kern.py.intoto.jsonl"), "--profile",
                                      at("small.profile")};
    words.insert(words.end(), more.begin(), more.end());
    return testing::assay(words);
  }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("assay_code_" + std::to_string(::getpid()));
};

TEST_F(PythonCode, NamesModulesPackagesAndTheInterpreter) {
  const Said said = certify();
  ASSERT_EQ(said.exit, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("code that ran: "));
  const auto report = nlohmann::json::parse(testing::slurp(at("report.json")), nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  std::vector<std::string> modules, kinds;
  for (const auto& row : report["code"]) {
    const std::string kind = row["kind"], name = row["name"];
    if (kind == "module") { modules.push_back(name); }
    kinds.push_back(kind);
    if (kind == "interpreter" || name == "numpy") { EXPECT_NE(row["version"], "") << row; }
    if (name == "numpy") { EXPECT_GT(row["files"], 1) << row; }
    EXPECT_NE(name.substr(0, 1), "/") << "a path of this machine";
  }
  EXPECT_THAT(modules, ::testing::ElementsAre("helper.py", "parts/__init__.py", "parts/late.py"));
  for (const char* const kind : {"artifact", "interpreter", "package", "harness", "system"}) {
    EXPECT_THAT(kinds, ::testing::Contains(kind));
  }
}

TEST_F(PythonCode, HoldsForTheModulesBesideTheKernel) {
  ASSERT_EQ(certify().exit, 0);
  const Said good = verify({"--artifact", at("kern.py")});
  EXPECT_EQ(good.exit, 0) << good.out << good.err;
  EXPECT_THAT(good.out, Not(HasSubstr("helper.py")));
  for (const char* const name : {"helper.py", "parts/late.py"}) {
    const std::string text = testing::slurp(at(name));
    write(name, text + "# changed\n");
    const Said bad = verify({"--artifact", at("kern.py")});
    EXPECT_EQ(bad.exit, 1) << name;
    EXPECT_THAT(bad.out, HasSubstr(std::string("the '") + name + "' that was tested"));
    write(name, text);
  }
}

TEST_F(PythonCode, ElsewhereIsComparedWhereItIsNamed) {
  ASSERT_EQ(certify().exit, 0);
  EXPECT_THAT(verify().out, HasSubstr("also rests on helper.py (sha256 "));
  EXPECT_THAT(verify().out, HasSubstr("also rests on the packages "));
  EXPECT_THAT(verify({"--depends", at("helper.py")}).out, Not(HasSubstr("helper.py")));
  write("helper.py", "");
  EXPECT_EQ(verify({"--depends", at("helper.py")}).exit, 1);
  EXPECT_EQ(verify().exit, 0);
}

TEST_F(PythonCode, AModuleThatChangesMeanwhileEndsTheRun) {
  write("kern.py", std::string(kKernel) + "    open(helper.__file__, 'a').write('# again\\n')\n");
  const Said said = certify();
  EXPECT_EQ(said.exit, 2) << said.out;
  EXPECT_THAT(said.err, HasSubstr("helper.py' was replaced while it was tested"));
}

}  // namespace
}  // namespace assay
