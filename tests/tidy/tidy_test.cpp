// The tree obeys its own rules, and each rule finds what it forbids.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/tidy/rules.h"

namespace assay::tidy {
namespace {

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = read_tree(ASSAY_SOURCE_DIR);
  return files;
}

testing::AssertionResult is_clean(const Complaints& complaints) {
  if (complaints.empty()) { return testing::AssertionSuccess(); }
  testing::AssertionResult result = testing::AssertionFailure();
  for (const Complaint& complaint : complaints) { result << '\n' << complaint; }
  return result;
}

Complaints of_tree(Complaints (*rule)(const SourceFile&)) {
  Complaints all;
  for (const SourceFile& file : tree()) { std::ranges::copy(rule(file), std::back_inserter(all)); }
  return all;
}

Complaints of_tree(Complaints (*rule)(const SourceFile&, std::span<const SourceFile>)) {
  Complaints all;
  for (const SourceFile& file : tree()) {
    std::ranges::copy(rule(file, tree()), std::back_inserter(all));
  }
  return all;
}

std::string lines(int count, const std::string& line) {
  std::string text;
  for (int i = 0; i < count; ++i) { text += line + "\n"; }
  return text;
}

TEST(Tree, HasAllItsFolders) {
  for (const Arrow& arrow : arrow_table()) {
    const auto inside = [&](const SourceFile& file) {
      return file.path.starts_with(std::string(arrow.folder) + "/");
    };
    EXPECT_TRUE(std::ranges::any_of(tree(), inside)) << arrow.folder << " holds no file";
  }
}

TEST(Tree, FollowsTheArrows) { EXPECT_TRUE(is_clean(of_tree(arrows))); }
TEST(Tree, KeepsLinesAndFilesShort) { EXPECT_TRUE(is_clean(of_tree(lengths))); }
TEST(Tree, KeepsFunctionsShort) { EXPECT_TRUE(is_clean(of_tree(function_lengths))); }
TEST(Tree, HasNoBannedSpelling) { EXPECT_TRUE(is_clean(of_tree(banned_spellings))); }
TEST(Tree, NamesWhoDoesATodo) { EXPECT_TRUE(is_clean(of_tree(nameless_todos))); }
TEST(Tree, OpensHeadersWithASentence) { EXPECT_TRUE(is_clean(of_tree(header_openings))); }
TEST(Tree, IncludesFilesByRepositoryPath) { EXPECT_TRUE(is_clean(of_tree(dangling_includes))); }
TEST(Tree, ProvesEachHeaderByItsSource) { EXPECT_TRUE(is_clean(of_tree(own_header_first))); }

TEST(Tree, HoldsNoHeaderThatNobodyUses) { EXPECT_TRUE(is_clean(of_tree(unused_header))); }

std::vector<std::string> known_kinds() {
  const auto page = std::ranges::find(tree(), "tests/defects/KINDS.md", &SourceFile::path);
  if (page == tree().end()) { return {}; }
  std::string text;
  for (const std::string_view line : page->lines) { text += std::string(line) + "\n"; }
  return kinds_of(text);
}

TEST(Kinds, OfChecksAreExplained) {
  const std::vector<std::string> kinds = known_kinds();
  EXPECT_EQ(kinds.size(), 27U);
  Complaints all;
  for (const SourceFile& file : tree()) {
    if (file.path.starts_with("properties/")) {
      std::ranges::copy(unknown_kinds(file, kinds), std::back_inserter(all));
    }
  }
  EXPECT_TRUE(is_clean(all));
}

TEST(Kinds, OfPlantedDefectsAreExplained) {
  const std::vector<std::string> kinds = known_kinds();
  std::size_t patches = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ASSAY_SOURCE_DIR "/tests/defects")) {
    if (entry.path().extension() != ".patch") { continue; }
    ++patches;
    std::string first;
    std::ifstream stream(entry.path());
    std::getline(stream, first);
    ASSERT_TRUE(first.starts_with("kind: ")) << entry.path() << ": " << first;
    EXPECT_NE(std::ranges::count(kinds, first.substr(6)), 0) << entry.path() << ": " << first;
  }
  EXPECT_GT(patches, 100U);
}

TEST(Kinds, ThatNobodyExplainsAreSeen) {
  const std::vector<std::string> kinds =
      kinds_of("\n| kind | bug |\n| G | K tail |\n| legal | x |");
  EXPECT_EQ(kinds, (std::vector<std::string>{"G", "legal"}));
  EXPECT_EQ(unknown_kinds(make_file("properties/a.cpp", "\"tails (kinds G, H)\"\n"), kinds).size(),
            1U);
  EXPECT_EQ(unknown_kinds(make_file("properties/a.cpp", "\"tails (kind G)\"\n"), kinds).size(), 0U);
}

TEST(Headers, ThatTestsAloneUseAreSeen) {
  const std::vector<SourceFile> files = {
      make_file("src/core/a.h", "// A.\n#pragma once\n"),
      make_file("src/core/a.cpp", "#include \"src/core/a.h\"\n"),
      make_file("tests/core/a_test.cpp", "#include \"src/core/a.h\"\n")};
  EXPECT_EQ(unused_header(files[0], files).size(), 1U);
  std::vector<SourceFile> used = files;
  used.push_back(make_file("src/core/b.cpp", "#include \"src/core/a.h\"\n"));
  EXPECT_EQ(unused_header(used[0], used).size(), 0U);
}

TEST(Arrows, NeitherKernelsNorOracleSeesTheOther) {
  EXPECT_EQ(arrows(make_file("oracle/a.cpp", "#include \"src/contract/assay/abi.h\"\n")).size(),
            1U);
  EXPECT_EQ(arrows(make_file("oracle/a.cpp", "#include \"src/problem/format.h\"\n")).size(), 1U);
  EXPECT_EQ(arrows(make_file("src/kernels/a.cpp", "#include \"oracle/judge.h\"\n")).size(), 1U);
  EXPECT_EQ(
      arrows(make_file("src/harness/a.cpp",
                       "#include \"oracle/judge.h\"\n#include \"src/contract/assay/abi.h\"\n"))
          .size(),
      0U);
}

TEST(Arrows, PointDownwardsOnly) {
  EXPECT_EQ(arrows(make_file("src/core/a.h", "#include \"src/problem/format.h\"\n")).size(), 1U);
  EXPECT_EQ(arrows(make_file("src/bench/a.cpp", "#include \"src/campaign/a.h\"\n")).size(), 1U);
  EXPECT_EQ(arrows(make_file("src/campaign/a.cpp", "#include \"src/report/a.h\"\n")).size(), 1U);
  EXPECT_EQ(arrows(make_file("src/cli/a.cpp", "#include \"src/core/a.h\"\n")).size(), 0U);
}

TEST(Arrows, EveryFolderWithCodeHasARow) {
  EXPECT_EQ(arrows(make_file("src/unheard_of/a.cpp", "int a;\n")).size(), 1U);
}

TEST(Lengths, CountColumnsNotBytes) {
  EXPECT_EQ(lengths(make_file("a.cpp", std::string(101, 'x') + "\n")).size(), 1U);
  std::string sums;
  for (int i = 0; i < 100; ++i) { sums += "Σ"; }
  EXPECT_EQ(lengths(make_file("a.cpp", sums + "\n")).size(), 0U);
}

TEST(Lengths, FileOf401LinesIsTooLong) {
  EXPECT_EQ(lengths(make_file("a.cpp", lines(400, "int a;"))).size(), 0U);
  EXPECT_EQ(lengths(make_file("a.cpp", lines(401, "int a;"))).size(), 1U);
}

TEST(FunctionLengths, FindFreeFunctionsTestsAndMembers) {
  const std::string body = lines(59, "    f();");
  EXPECT_EQ(
      function_lengths(make_file("a.cpp", "int g(int a,\n      int b) {\n" + body + "}\n")).size(),
      1U);
  EXPECT_EQ(function_lengths(make_file("a.cpp", "TEST(A, B) {\n" + body + "}\n")).size(), 1U);
  const std::string member = "class A {\n public:\n  int g() {\n" + body + "  }\n};\n";
  EXPECT_EQ(function_lengths(make_file("a.cpp", member)).size(), 1U);
}

TEST(FunctionLengths, LetTablesNamespacesAndSixtyLinesPass) {
  const std::string body = lines(58, "    f();");
  EXPECT_TRUE(is_clean(function_lengths(make_file("a.cpp", "int g() {\n" + body + "}\n"))));
  const std::string table = "constexpr Row kRows[] = {\n" + lines(90, "    {f(1)},") + "};\n";
  EXPECT_TRUE(is_clean(function_lengths(make_file("a.cpp", table))));
  const std::string space = "namespace a {\n" + lines(90, "int g();") + "}\n";
  EXPECT_TRUE(is_clean(function_lengths(make_file("a.cpp", space))));
}

TEST(FunctionLengths, GiveDeviceKernelsMoreRoom) {
  const std::string head = "__global__ void g() {\n";
  EXPECT_EQ(function_lengths(make_file("a.cu", head + lines(148, "  f();") + "}\n")).size(), 0U);
  EXPECT_EQ(function_lengths(make_file("a.cu", head + lines(149, "  f();") + "}\n")).size(), 1U);
}

TEST(BannedSpellings, EachIsFoundWhereItIsBanned) {
  for (const Banned& banned : banned_table()) {
    const auto file = make_file("src/core/a.cuh", "f(" + std::string(banned.spelling) + " 1);\n");
    const auto names_it = [&](const Complaint& complaint) {
      return complaint.text.starts_with(banned.spelling);
    };
    EXPECT_TRUE(std::ranges::any_of(banned_spellings(file), names_it)) << banned.spelling;
    EXPECT_FALSE(banned.instead.empty()) << banned.spelling;
  }
}

TEST(BannedSpellings, ArePartOfNoLongerWord) {
  EXPECT_TRUE(is_clean(
      banned_spellings(make_file("src/core/a.cpp", "operand(1); static_assert(x); _exit(1);\n"))));
}

TEST(BannedSpellings, CommentsAndStringsMaySpeakOfCode) {
  EXPECT_TRUE(is_clean(banned_spellings(make_file(
      "src/core/a.cpp", "// rand( is banned\nf(\"rand(\"); /* throw */ g(R\"(throw)\");\n"))));
  EXPECT_EQ(banned_spellings(make_file("src/core/a.cpp", "f(1'000); throw 'x';\n")).size(), 1U);
}

TEST(BannedSpellings, MachinePathsAreFoundInCommentsAndScripts) {
  EXPECT_EQ(banned_spellings(make_file("cmake/A.cmake", "# see /home/me/x\n")).size(), 1U);
  EXPECT_EQ(banned_spellings(make_file("src/core/a.h", "// see /work/x\n")).size(), 1U);
}

TEST(BannedSpellings, AllowedPlacesAreLetThrough) {
  EXPECT_EQ(banned_spellings(make_file("src/cli/main.cpp", "exit(1);\n")).size(), 0U);
  EXPECT_EQ(banned_spellings(make_file("src/core/a.cpp", "exit(1);\n")).size(), 1U);
}

TEST(NamelessTodos, AreFound) {
  EXPECT_EQ(nameless_todos(make_file("src/core/a.cpp", "// TODO: later\n")).size(), 1U);
  EXPECT_EQ(nameless_todos(make_file("src/core/a.cpp", "// TODO(ada): later\n")).size(), 0U);
}

TEST(HeaderOpenings, NeedASentenceAndPragmaOnce) {
  EXPECT_EQ(header_openings(make_file("a.h", "// A pair.\n#pragma once\n\nint a;\n")).size(), 0U);
  EXPECT_EQ(header_openings(make_file("a.h", "#pragma once\n")).size(), 1U);
  EXPECT_EQ(header_openings(make_file("a.h", "// A pair.\nint a;\n#pragma once\n")).size(), 1U);
  EXPECT_EQ(header_openings(make_file("a.h", "")).size(), 2U);
}

TEST(DanglingIncludes, FindAPathRelativeToTheFile) {
  const std::vector<SourceFile> files = {make_file("src/core/a.h", "")};
  EXPECT_EQ(dangling_includes(make_file("src/core/b.h", "#include \"a.h\"\n"), files).size(), 1U);
  EXPECT_EQ(
      dangling_includes(make_file("src/core/b.h", "#include \"src/core/a.h\"\n"), files).size(),
      0U);
}

TEST(OwnHeaderFirst, AnythingBeforeItIsFound) {
  const std::vector<SourceFile> files = {make_file("src/core/a.h", "")};
  const auto found = [&](const char* path, const char* text) {
    return own_header_first(make_file(path, text), files).size();
  };
  EXPECT_EQ(found("src/core/a.cpp", "#include \"src/core/a.h\"\n#include <vector>\n"), 0U);
  EXPECT_EQ(found("src/core/a.cpp", "#include <vector>\n#include \"src/core/a.h\"\n"), 1U);
  EXPECT_EQ(found("src/core/a.cpp", "int a;\n"), 1U);
  EXPECT_EQ(found("src/core/b.cpp", "#include <vector>\n"), 0U);
}

}  // namespace
}  // namespace assay::tidy
