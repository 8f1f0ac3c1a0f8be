// The code that ran: digested as it is loaded, put together, recorded, and compared by verify.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/campaign/code_ledger.h"
#include "src/certificate/check_code.h"
#include "src/core/digest.h"
#include "src/record/code_json.h"
#include "tests/certificate/certificate_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using testing::FakeSession;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::spill;
using Kind = CodeRow::Kind;

const std::string kA(64, 'a'), kB(64, 'b'), kC(64, 'c');

CodeRow library(const std::string& name, const std::string& sha256) {
  return {.kind = Kind::kLibrary, .name = name, .sha256 = sha256};
}

CodeRow package(const std::string& version, const std::string& sha256, Index files) {
  return {.kind = Kind::kPackage,
          .name = "numpy",
          .version = version,
          .sha256 = sha256,
          .files = files};
}

CodeRow of_system(const std::string& name, const std::string& build_id) {
  return {.kind = Kind::kSystem, .name = name, .build_id = build_id};
}

std::string differ(const std::vector<CodeRow>& a, const std::vector<CodeRow>& b) {
  const auto why = contradiction({.rows = a}, {.rows = b});
  EXPECT_EQ(why.has_value(), contradiction({.rows = b}, {.rows = a}).has_value());
  return why.value_or("");
}

TEST(CodeList, ContradictsAnotherFileOfTheSameName) {
  EXPECT_EQ(differ({library("libreal.so", kA)}, {library("libreal.so", kB)}),
            "digests of 'libreal.so' '" + kA + "' and '" + kB + "'");
  EXPECT_EQ(differ({library("libreal.so", kA)}, {library("libreal.so", kA)}), "");
  EXPECT_EQ(differ({library("libreal.so", kA)}, {library("libother.so", kB)}), "");
  EXPECT_EQ(differ({library("libreal.so", kA)}, {}), "");
}

TEST(CodeList, MayHoldTwoFilesOfOneName) {
  const std::vector<CodeRow> both = {library("lib.so", kA), library("lib.so", kB)};
  EXPECT_EQ(differ(both, both), "");
  EXPECT_EQ(differ(both, {library("lib.so", kB)}), "") << "the other was not loaded there";
  EXPECT_NE(differ(both, {library("lib.so", kB), library("lib.so", kC)}), "");
}

TEST(CodeList, LetsPackagesBeLoadedInPartsAndTheSystemDiffer) {
  EXPECT_EQ(differ({package("1.2", kA, 80)}, {package("1.2", kB, 81)}), "");
  EXPECT_NE(differ({package("1.2", kA, 80)}, {package("1.2", kB, 80)}), "");
  EXPECT_EQ(differ({package("1.2", kA, 80)}, {package("1.3", kB, 81)}),
            "versions of 'numpy' '1.2' and '1.3'");
  EXPECT_EQ(differ({of_system("libc.so.6", "aa")}, {of_system("libc.so.6", "bb")}), "");
}

TEST(CodeList, IsJoinedSortedAndOnce) {
  const CodeList all = joined({{library("b", kB), of_system("c", "cc")}, {"rank 1: gone"}},
                              {{library("a", kA), library("b", kB)}, {"rank 1: gone"}});
  EXPECT_THAT(all.rows, ElementsAre(library("a", kA), library("b", kB), of_system("c", "cc")));
  EXPECT_THAT(all.not_asked, ElementsAre("rank 1: gone"));
}

TEST(CodeList, IsCountedInOneLine) {
  EXPECT_EQ(code_sentence({}), "not recorded");
  EXPECT_EQ(code_sentence({.rows = {library("a", kA), of_system("c", "cc")}}),
            "1 file by SHA-256, 1 of the system by build id");
  EXPECT_EQ(code_sentence({{library("a", kA), library("b", kB), package("1", kC, 9)}, {"gone"}}),
            "2 files by SHA-256, 1 package (9 files), 0 of the system by build id; gone");
}

TEST(CodeJson, IsReadBackStrictly) {
  const CodeList code = {{library("a", kA), package("1.2", kB, 80), of_system("c", "cc")},
                         {"rank 1: gone"}};
  const std::string text = code_text(code);
  ASSERT_TRUE(parse_code(text)) << parse_code(text).error().message;
  EXPECT_EQ(*parse_code(text), code);
  const auto message = [](const std::string& row) {
    const auto read = parse_code("{\"code\": [" + row + "], \"codeNotAsked\": []}");
    return read ? "accepted" : read.error().message;
  };
  EXPECT_EQ(message(R"({"name": "a", "kind": "system", "buildId": "0f"})"), "accepted");
  EXPECT_THAT(message(R"({"name": "a", "kind": "system"})"), HasSubstr(".sha256': is to be there"));
  EXPECT_THAT(message(R"({"name": "a", "kind": "tool", "buildId": "0f"})"), HasSubstr("tool"));
  EXPECT_THAT(message(R"({"name": "a", "kind": "system", "buildId": "0g"})"), HasSubstr("0g"));
  EXPECT_THAT(message(R"({"name": "a", "kind": "library", "sha256": "0f"})"), HasSubstr("64"));
  EXPECT_THAT(message(R"({"name": "a", "kind": "system", "buildId": "0f", "path": "/a"})"),
              HasSubstr("unknown field"));
  EXPECT_THAT(message(R"({"name": "b", "kind": "system", "buildId": "0f"},
                         {"name": "a", "kind": "system", "buildId": "0f"})"),
              HasSubstr("is not sorted"));
}

// A session whose worker has loaded these files.
class LoadedSession : public FakeSession {
 public:
  explicit LoadedSession(std::optional<std::vector<LoadedFile>> files)
      : FakeSession({}, parse_manifest(testing::kTinyManifest).value()), files_(std::move(files)) {}
  Result<std::optional<std::vector<LoadedFile>>> loaded_code() override { return files_; }

 private:
  std::optional<std::vector<LoadedFile>> files_;
};

TEST(CodeLedger, NamesFilesByDigestAndFromTheKernelsFolder) {
  const Folder folder;
  std::filesystem::create_directories(folder / "part");
  for (const char* name : {"shim.so", "libreal.so", "part/more.py", "n1.py", "n2.py"}) {
    spill(folder / name, name);
  }
  LoadedSession session({{{.path = folder / "shim.so"},
                          {.path = folder / "libreal.so"},
                          {.kind = LoadedFile::Kind::kModule, .path = folder / "part/more.py"},
                          {.kind = LoadedFile::Kind::kPackage,
                           .package = "numpy",
                           .version = "1.2",
                           .path = folder / "n2.py"},
                          {.kind = LoadedFile::Kind::kPackage,
                           .package = "numpy",
                           .version = "1.2",
                           .path = folder / "n1.py"}}});
  int told = 0;
  CodeLedger ledger(folder / "shim.so", [&](const CodeList&) -> Status {
    ++told;
    return {};
  });
  ASSERT_TRUE(ledger.ask(session));
  ASSERT_TRUE(ledger.ask(session));
  EXPECT_EQ(told, 1) << "it has not grown";
  const auto code = ledger.close({&session});
  ASSERT_TRUE(code) << code.error().message;
  std::vector<std::string> digests = {sha256_hex("n1.py"), sha256_hex("n2.py")};
  std::sort(digests.begin(), digests.end());
  const CodeRow numpy = package("1.2", sha256_hex(digests[0] + "\n" + digests[1] + "\n"), 2);
  EXPECT_THAT(
      code->rows,
      ElementsAre(
          CodeRow{.kind = Kind::kArtifact, .name = "shim.so", .sha256 = sha256_hex("shim.so")},
          CodeRow{
              .kind = Kind::kModule, .name = "part/more.py", .sha256 = sha256_hex("part/more.py")},
          library("libreal.so", sha256_hex("libreal.so")), numpy));
  EXPECT_THAT(code->not_asked, IsEmpty());
}

TEST(CodeLedger, AFileThatChangesOrVanishesEndsTheRun) {
  const Folder folder;
  const std::string file = folder / "libreal.so";
  LoadedSession session({{{.path = file}}});
  spill(file, "one build");
  CodeLedger changed("fake", {});
  ASSERT_TRUE(changed.ask(session));
  spill(file, "two build");
  const std::string message = changed.close({&session}).error().message;
  EXPECT_THAT(message, HasSubstr("libreal.so' was replaced while it was tested: its sha256 was " +
                                 sha256_hex("one build").substr(0, 12) + "..., now it is " +
                                 sha256_hex("two build").substr(0, 12)));
  EXPECT_THAT(changed.ask(session).error().message, HasSubstr("was replaced"));
  CodeLedger vanished("fake", {});
  ASSERT_TRUE(vanished.ask(session));
  std::filesystem::remove(file);
  EXPECT_THAT(vanished.close({}).error().message, HasSubstr("No such file"));
}

TEST(CodeLedger, AFileThatAWorkerHoldsUnderItsOldInodeEndsTheRun) {
  const Folder folder;
  spill(folder / "libreal.so", "another build");
  LoadedSession session({{{.replaced = true, .path = folder / "libreal.so"}}});
  CodeLedger ledger("fake", {});
  EXPECT_THAT(ledger.ask(session).error().message, HasSubstr("is no longer there"));
}

TEST(CodeLedger, SaysWhenNoWorkerLivedToBeAsked) {
  LoadedSession session(std::nullopt);
  CodeList told;
  CodeLedger ledger("fake", [&](const CodeList& code) -> Status {
    told = code;
    return {};
  });
  const auto code = ledger.close({&session});
  ASSERT_TRUE(code);
  EXPECT_THAT(code->not_asked, ElementsAre("no worker could be asked at the end of the run"));
  EXPECT_EQ(told, *code);
}

TEST(CodeLedger, TakesWhatRanksHaveLoaded) {
  const Folder folder;
  spill(folder / "libreal.so", "build");
  LoadedSession session({{{.path = folder / "libreal.so"}}});
  CodeLedger ledger("fake", {});
  ASSERT_TRUE(ledger.ask(session));
  ASSERT_TRUE(ledger.take("rank 1", {.rows = {package("1.2", kA, 80)}}));
  ASSERT_TRUE(ledger.take("rank 1", {{package("1.2", kB, 81)}, {"no worker lives"}}));
  const auto code = ledger.close({&session});
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_THAT(code->rows,
              ElementsAre(library("libreal.so", sha256_hex("build")), package("1.2", kB, 81)));
  EXPECT_THAT(code->not_asked, ElementsAre("rank 1: no worker lives"));
  EXPECT_THAT(ledger.take("rank 2", {.rows = {library("libreal.so", kA)}}).error().message,
              HasSubstr("rank 2 runs other code than rank 0: different digests of 'libreal.so'"));
}

TEST(CodeLedger, KnowsTheSystemsFoldersByTheirPath) {
  EXPECT_TRUE(is_of_the_system("/usr/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_TRUE(is_of_the_system("/lib64/ld-linux-x86-64.so.2"));
  EXPECT_FALSE(is_of_the_system("/usr/local/lib/libmine.so"));
  EXPECT_FALSE(is_of_the_system("/usr/libexec/mine.so"));
  EXPECT_FALSE(is_of_the_system("/opt/lib/libmine.so"));
}

// What a run of a fake kernel records, with this code.
OpenSession open_loading(const std::string& file) {
  return [file](double) -> Result<std::unique_ptr<Session>> {
    return std::make_unique<LoadedSession>(std::vector<LoadedFile>{{.path = file}});
  };
}

Result<Certification> run_with(const std::string& path, const std::string& file, const Shard& shard,
                               bool resume = false) {
  const Profile profile = testing::tiny_profile("passes");
  RunWriter writer(path, resume, testing::tiny_names());
  writer.header().kernel = "fake";
  writer.header().artifact = {.name = "fake", .sha256 = kA};
  writer.header().profile = profile;
  writer.header().shard = shard;
  CertifyOptions options;
  options.run.threads = 1;
  options.run.shard = shard;
  options.observer = &writer;
  return certify("fake", profile, testing::tiny_names(), open_loading(file), options);
}

TEST(RunRecord, HoldsTheCodeThatRanFromTheFirstCaseOn) {
  const Folder folder;
  spill(folder / "lib.so", "build");
  ASSERT_TRUE(run_with(folder / "r", folder / "lib.so", {}));
  const RunRecord whole = testing::recorded(folder / "r");
  EXPECT_THAT(whole.code.rows, ElementsAre(library("lib.so", sha256_hex("build"))));
  EXPECT_EQ(certification_of(whole, testing::tiny_names())->run.code, whole.code);
  const std::string text = testing::slurped(folder / "r");
  const std::size_t first_case = text.find("{\"job\"");
  const auto killed = parse_run(text.substr(0, first_case), "r", testing::tiny_names());
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->code, whole.code);
}

TEST(RunRecord, IsNotResumedWithOtherCode) {
  const Folder folder;
  spill(folder / "lib.so", "build");
  ASSERT_TRUE(run_with(folder / "r", folder / "lib.so", {}));
  const std::string text = testing::slurped(folder / "r");
  spill(folder / "r", text.substr(0, text.find('\n', text.size() / 2) + 1));
  EXPECT_TRUE(run_with(folder / "r", folder / "lib.so", {}, true));
  spill(folder / "lib.so", "other");
  spill(folder / "r", text.substr(0, text.find('\n', text.size() / 2) + 1));
  const auto other = run_with(folder / "r", folder / "lib.so", {}, true);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message,
              HasSubstr("is another run's: different digests of 'lib.so' '" + sha256_hex("build")));
}

TEST(RunRecord, ShardsOfOtherCodeAreNotMerged) {
  const Folder folder;
  std::vector<NamedRecord> parts;
  for (const Index part : {1, 2, 3}) {
    spill(folder / "lib.so", part < 3 ? "build" : "other");
    const std::string path = folder / std::to_string(part);
    ASSERT_TRUE(run_with(path, folder / "lib.so", {part, 3}));
    parts.push_back({path, testing::recorded(path)});
  }
  const auto first_two = merge_runs({parts[0], parts[1]}, testing::tiny_names());
  ASSERT_TRUE(first_two) << first_two.error().message;
  EXPECT_EQ(first_two->code, parts[0].record.code);
  EXPECT_THAT(merge_runs(parts, testing::tiny_names()).error().message,
              HasSubstr("are not one run: different digests of 'lib.so'"));
}

struct Checked {
  std::string wrong{};
  std::vector<std::string> notes{};
};
Checked checked(const std::vector<CodeRow>& rows, const std::string& artifact,
                const std::vector<std::string>& depends = {}) {
  Checked result;
  const auto wrong = check_code({.rows = rows}, artifact, depends, result.notes);
  result.wrong = wrong ? *wrong : "error: " + wrong.error().message;
  return result;
}

TEST(CheckCode, ComparesWhatLiesBesideTheArtifact) {
  const Folder folder;
  spill(folder / "shim.so", "shim");
  spill(folder / "libreal.so", "build");
  const auto row = library("libreal.so", sha256_hex("build"));
  EXPECT_THAT(checked({row}, folder / "shim.so").wrong, IsEmpty());
  EXPECT_THAT(checked({row}, folder / "shim.so").notes, IsEmpty());
  spill(folder / "libreal.so", "other");
  EXPECT_THAT(checked({row}, folder / "shim.so").wrong,
              HasSubstr("libreal.so' has the SHA-256 " + sha256_hex("other")));
  EXPECT_THAT(checked({row, library("libreal.so", sha256_hex("other"))}, folder / "shim.so").wrong,
              IsEmpty());
  std::filesystem::remove(folder / "libreal.so");
  EXPECT_THAT(checked({row}, folder / "shim.so").notes,
              ElementsAre("also rests on libreal.so (sha256 " + row.sha256.substr(0, 12) +
                          "...): --depends compares them"));
}

TEST(CheckCode, ComparesWhatTheUserNames) {
  const Folder folder;
  spill(folder / "libreal.so", "build");
  std::filesystem::create_symlink(folder / "libreal.so", folder / "link.so");
  const auto row = library("libreal.so", sha256_hex("build"));
  EXPECT_THAT(checked({row}, "", {folder / "libreal.so"}).wrong, IsEmpty());
  EXPECT_THAT(checked({row}, "", {folder / "libreal.so"}).notes, IsEmpty());
  EXPECT_THAT(checked({row}, "", {folder / "link.so"}).wrong, IsEmpty());
  EXPECT_THAT(checked({library("lib/libreal.so", row.sha256)}, "", {folder / "libreal.so"}).wrong,
              IsEmpty());
  EXPECT_THAT(checked({library("libreal.so", kA)}, "", {folder / "libreal.so"}).wrong,
              HasSubstr("the 'libreal.so' that was tested " + kA));
  EXPECT_THAT(checked({library("libother.so", row.sha256)}, "", {folder / "libreal.so"}).wrong,
              HasSubstr("no file called 'libreal.so' is among the code that was tested"));
  EXPECT_THAT(checked({row}, "", {folder / "none.so"}).wrong, HasSubstr("error: cannot read"));
}

TEST(CheckCode, NotesWhatItCannotCompare) {
  const auto notes = checked({of_system("libc.so.6", "00ff"), of_system("libnowhere.so.1", "aa"),
                              package("1.24.2", kA, 80)},
                             "")
                         .notes;
  EXPECT_THAT(notes, ElementsAre("also rests on the packages numpy 1.24.2",
                                 "this system has another build of libc.so.6"));
}

}  // namespace
}  // namespace assay
