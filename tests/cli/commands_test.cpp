// What the commands print when all is well, and their exit codes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <signal.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_assay.h"

namespace assay {
namespace {

using testing::assay;
using ::testing::HasSubstr;
using testing::Said;

TEST(Help, ListsEveryCommandAndTheExitCodes) {
  const Said said = assay({"help"});
  EXPECT_EQ(said.exit, 0);
  EXPECT_EQ(said.err, "");
  for (const char* part :
       {"certify", "run", "shrink", "list", "offsets", "selftest", "bench", "3 incomplete"}) {
    EXPECT_THAT(said.out, HasSubstr(part));
  }
  EXPECT_THAT(assay({"help", "certify"}).out, HasSubstr("--profile"));
  EXPECT_EQ(assay({"run", "--help"}).exit, 0);
}

TEST(List, HasEveryTopic) {
  const Said all = assay({"list"});
  EXPECT_EQ(all.exit, 0);
  for (const char* part :
       {"cpu", "expert_order_is_irrelevant", "tile_borders", "quick", "anchored", "padded_ends"}) {
    EXPECT_THAT(all.out, HasSubstr(part));
  }
  EXPECT_THAT(assay({"list", "conventions"}).out, Not(HasSubstr("tile_borders")));
}

TEST(Run, ARightKernelPassesACase) {
  const Said said = assay({"run", "pass=fwd k=96 n=64 rows=0,7,128,1 seed=3", "--kernel", "cpu"});
  EXPECT_EQ(said.exit, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("Passed: cpu"));
  EXPECT_THAT(said.out, HasSubstr("8704 elements"));
}

TEST(Run, TakesTheWordsOfACaseOneByOne) {
  const Said said =
      assay({"run", "pass=wgrad", "k=8", "n=8", "rows=0,7", "out=fp32", "--kernel", "loop"});
  EXPECT_EQ(said.exit, 0) << said.out << said.err;
}

TEST(Run, RunsInProcessToo) {
  EXPECT_EQ(assay({"run", "pass=fwd k=8 n=8 rows=3", "--kernel", "cpu", "--in-process"}).exit, 0);
}

TEST(Run, EveryWayOfVerifyingAgrees) {
  for (const char* way : {"fingerprint", "fast", "exact"}) {
    const Said said = assay({"run", "pass=fwd out=fp32 k=96 n=64 rows=9,0,31 fill=anchored",
                             "--kernel", "cpu", "--verify", way});
    EXPECT_EQ(said.exit, 0) << way << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("of the kernel's time"));
  }
}

TEST(Run, DumpsArraysForNumpy) {
  const std::string folder = ::testing::TempDir() + "/assay_dump_test";
  std::filesystem::remove_all(folder);
  const Said said =
      assay({"run", "pass=fwd k=8 n=4 rows=3,2", "--kernel", "cpu", "--dump", folder});
  EXPECT_EQ(said.exit, 0) << said.err;
  const std::string x = testing::slurp(folder + "/x.npy");
  EXPECT_EQ(x.substr(1, 5), "NUMPY");
  EXPECT_THAT(x, HasSubstr("'shape': (5, 8)"));
  // Header of a multiple of 64 bytes, then 40 floats: the integers of the default fill.
  ASSERT_EQ((x.size() - 40 * 4) % 64, 0u);
  EXPECT_EQ(x[x.size() - 40 * 4 - 1], '\n');
  float values[40];
  std::memcpy(values, x.data() + x.size() - sizeof values, sizeof values);
  EXPECT_TRUE(std::ranges::all_of(values, [](float v) { return v == std::nearbyint(v); }));
  EXPECT_TRUE(std::ranges::any_of(values, [](float v) { return v != 0; }));
  EXPECT_EQ(testing::slurp(folder + "/expected.npy"), testing::slurp(folder + "/actual.npy"));
  EXPECT_THAT(testing::slurp(folder + "/offsets.npy"), HasSubstr("'<i8'"));
  std::filesystem::remove_all(folder);
}

// One float a block of 128: 2 for each of 3 rows, 2 by 3 for each of 2 experts.
TEST(Run, DumpsScalesBesideCodes) {
  const std::string folder = ::testing::TempDir() + "/assay_dump_scales_test";
  std::filesystem::remove_all(folder);
  const Said said = assay({"run", "pass=fwd in=e4m3/block128 out=bf16 k=130 n=257 rows=1,2",
                           "--kernel", "cpu", "--dump", folder});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(testing::slurp(folder + "/x_scale.npy"), HasSubstr("'shape': (3, 2)"));
  const std::string w = testing::slurp(folder + "/w_scale.npy");
  EXPECT_THAT(w, HasSubstr("'shape': (4, 3)"));
  ASSERT_EQ((w.size() - 12 * 4) % 64, 0u);
  float values[12];
  std::memcpy(values, w.data() + w.size() - sizeof values, sizeof values);
  // Those of an exact fill.
  EXPECT_TRUE(std::ranges::all_of(values, [](float v) { return v >= 1 && v <= 16; }));
  EXPECT_FALSE(std::filesystem::exists(folder + "/y_scale.npy"));
  std::filesystem::remove_all(folder);
}

TEST(Run, SaysWhereItCannotDump) {
  const Said said =
      assay({"run", "pass=fwd k=8 n=4 rows=3,2", "--kernel", "cpu", "--dump", "/dev/null/there"});
  EXPECT_EQ(said.exit, 2);
  EXPECT_TRUE(said.one_line_of_error()) << said.err;
  EXPECT_THAT(said.err, HasSubstr("/dev/null/there"));
}

TEST(Shrink, HasNothingToDoOnACaseThatPasses) {
  const Said said = assay({"shrink", "pass=fwd k=8 n=8 rows=3", "--kernel", "cpu"});
  EXPECT_EQ(said.exit, 2);
  EXPECT_THAT(said.err, HasSubstr("nothing to shrink"));
}

TEST(Certify, SaysTheVerdictBeforeTheFilesWhereBothGoToOnePlace) {
  const std::string base = ::testing::TempDir() + "/assay_cli_one_place";
  const std::string command = shell_word(std::string(ASSAY_BINARY_DIR) + "/assay") +
                              " certify cpu --profile quick --filter one_expert --out " +
                              shell_word(base) + " >" + shell_word(base + ".txt") + " 2>&1";
  ASSERT_NE(std::system(command.c_str()), -1);
  const std::string text = testing::slurp(base + ".txt");
  ASSERT_NE(text.find("\nresults "), std::string::npos) << text;
  EXPECT_LT(text.find(" skipped\n"), text.find("\nresults "));
  std::filesystem::remove_all(base);
  std::filesystem::remove(base + ".txt");
}

TEST(Certify, AFilteredRunPassesAndCertifiesNothing) {
  const Said said = assay({"certify", "cpu", "--profile", "quick", "--filter",
                           "^exact_integers_match_bitwise$", "--json", "-"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("certifies nothing"));
  EXPECT_THAT(said.err, HasSubstr("1 passed, 0 failed, 0 skipped\n"));
  const auto json = nlohmann::json::parse(said.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << said.out;
  EXPECT_EQ(json["verdict"], "Passed");
  EXPECT_EQ(json["certified"], false);
  EXPECT_EQ(json["checks"].size(), 1u);
}

TEST(Certify, ASpentBudgetIsIncomplete) {
  const Said said = assay({"certify", "cpu", "--profile", "ci", "--budget", "0.001"});
  EXPECT_EQ(said.exit, 3) << said.err;
  EXPECT_THAT(said.out, HasSubstr("Incomplete: cpu under profile ci"));
  EXPECT_THAT(said.out, HasSubstr("the budget of 0.001 s is spent"));
}

TEST(Certify, AnInterruptEndsWithTheTable) {
  const Said said = assay({"certify", "cpu", "--profile", "ci"}, "timeout --foreground -s INT 2");
  EXPECT_EQ(said.exit, 124) << "timeout's own code, after assay has ended";
  EXPECT_THAT(said.out, HasSubstr("Incomplete: cpu under profile ci"));
  EXPECT_THAT(said.out, HasSubstr("interrupted"));
}

TEST(Offsets, ConvertTellsTheSameRowsInEveryConvention) {
  const Said said = assay({"offsets", "convert", "3,3,8", "--from", "ends"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("rows             3,0,5\n"));
  EXPECT_THAT(said.out, HasSubstr("0,3,3,8\n"));
  EXPECT_THAT(said.out, HasSubstr("0,0,0,2,2,2,2,2\n"));
  const Said one = assay({"offsets", "convert", "3,3,8", "--from", "ends", "--to", "indptr"});
  EXPECT_THAT(one.out, HasSubstr("0,3,3,8"));
  EXPECT_EQ(std::count(one.out.begin(), one.out.end(), '\n'), 1);
}

TEST(Offsets, ConvertSaysWhenRowsMove) {
  const Said said =
      assay({"offsets", "convert", "3,3,8", "--from", "ends", "--to", "padded_ends", "--pad", "4"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("3,4,9"));
  EXPECT_THAT(said.out, HasSubstr("rows move: experts start at 0,4,4"));
}

TEST(Offsets, ValidateTellsWhichConventionsItCouldBe) {
  const Said said = assay({"offsets", "validate", "0,3,3,8"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("indptr           valid: rows 3,0,5"));
  EXPECT_THAT(said.out, HasSubstr("ends             valid: rows 0,3,0,5"));
  EXPECT_EQ(assay({"offsets", "validate", "3,3,8", "--as", "ends"}).out,
            "valid ends: 3 experts, rows 3,0,5\n");
}

}  // namespace
}  // namespace assay
