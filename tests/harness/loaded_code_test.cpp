// Which files of code a process has loaded: told of the system's list, and of workers that load
// more while they run.
#include "src/harness/process/loaded_code.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/core/file.h"
#include "src/harness/process/elf_file.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> paths_of(std::string_view maps) {
  std::vector<std::string> paths;
  for (const CodeMapping& mapping : code_mappings(maps)) {
    paths.push_back(mapping.path + (mapping.deleted ? "!" : ""));
  }
  return paths;
}

TEST(CodeMappings, AreThoseThatMayBeExecuted) {
  EXPECT_THAT(paths_of("7f10-7f20 r--p 00000000 fe:00 17      /lib/libc.so.6\n"
                       "7f20-7f30 r-xp 00001000 fe:00 17      /lib/libc.so.6\n"
                       "7f30-7f40 rw-p 00002000 fe:00 17      /lib/libc.so.6\n"
                       "7f40-7f50 rwxs 00000000 00:2d 9       /data/jit.bin\n"),
              ElementsAre("/lib/libc.so.6", "/data/jit.bin"));
}

TEST(CodeMappings, TellPlaceAndInode) {
  const auto mappings =
      code_mappings("7fd86e473000-7fd86e5c9000 r-xp 00026000 fe:00 332835 /usr/lib/libc.so.6\n");
  ASSERT_EQ(mappings.size(), 1U);
  EXPECT_EQ(mappings[0].begin, 0x7fd86e473000U);
  EXPECT_EQ(mappings[0].end, 0x7fd86e5c9000U);
  EXPECT_EQ(mappings[0].inode, 332835U);
}

TEST(CodeMappings, LeaveOutWhatLiesInNoFile) {
  EXPECT_THAT(paths_of("7f10-7f20 r-xp 00000000 00:00 0        [vdso]\n"
                       "7f20-7f30 rwxp 00000000 00:00 0 \n"
                       "7f30-7f40 rwxp 00000000 00:00 0        [anon:jit]\n"
                       "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"
                       "7f40-7f50 r-xs 00000000 00:01 2050     /memfd:libffi (deleted)\n"
                       "7f50-7f60 rwxs 00000000 00:01 3        /dev/zero (deleted)\n"
                       "7f60-7f70 rwxs 00000000 00:05 4        /dev/nvidia0\n"
                       "7f70-7f80 rwxs 00000000 00:01 5        /SYSV00000000 (deleted)\n"),
              ElementsAre());
  EXPECT_THAT(paths_of("7f10-7f20 r-xp 00000000 00:16 8 /dev/shm/code.so\n"),
              ElementsAre("/dev/shm/code.so"));
}

TEST(CodeMappings, MarkDeletedFilesAndKeepBlanks) {
  EXPECT_THAT(paths_of("7f10-7f20 r-xp 00000000 fe:00 17   /a folder/lib x.so (deleted)\n"
                       "7f20-7f30 r-xp 00000000 fe:00 18   /a folder/ two  blanks.so\n"),
              ElementsAre("/a folder/lib x.so!", "/a folder/ two  blanks.so"));
}

TEST(CodeMappings, OfALineThatIsCutOffAreNone) {
  const std::string line = "7f10-7f20 r-xp 00000000 fe:00 17 /lib/libc.so.6";
  for (std::size_t length = 0; length < line.find('/'); ++length) {
    EXPECT_THAT(paths_of(line.substr(0, length)), ElementsAre()) << length;
  }
}

TEST(LoadedText, IsReadBack) {
  const std::vector<LoadedFile> files = {
      {.path = "/a folder/x\ty.so"},
      {.kind = LoadedFile::Kind::kPackage, .package = "numpy", .version = "1.2", .path = "/n.py"},
      {.kind = LoadedFile::Kind::kInterpreter, .version = "3.11.2", .path = "/bin/python"},
      {.replaced = true, .build_id = "00ff", .path = "/gone.so"}};
  const auto again = parse_loaded(loaded_text(files));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, files);
}

TEST(LoadedText, RefusesWhatIsNoneAndSaysWhatCouldNotBeNamed) {
  EXPECT_THAT(parse_loaded("mapped\t/lib.so\n").error().message, HasSubstr("not understood"));
  EXPECT_THAT(parse_loaded("melted\t\t\t\t\t/lib.so\n").error().message, HasSubstr("melted"));
  EXPECT_THAT(parse_loaded(unnamed_text("no\nmodules")).error().message,
              EndsWith("cannot name the code that it ran: no modules"));
}

TEST(MappedCode, HoldsThisProgramAndItsLibraries) {
  const auto files = mapped_code();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  EXPECT_THAT(files, Contains(LoadedFile{.kind = LoadedFile::Kind::kHarness, .path = self}));
  EXPECT_THAT(files, Contains(Field(&LoadedFile::path, HasSubstr("/libc.so"))));
  for (const LoadedFile& file : files) { EXPECT_FALSE(file.replaced) << file.path; }
}

// Two processes that compile one kernel at once replace each other's file.
TEST(MappedCode, IsStillThereWhereTheSameCodeTookItsPlace) {
  const std::string path = ::testing::TempDir() + "assay_replaced.so", other = path + ".new";
  const std::string whole = *read_file(plugin("naive"));
  const auto put = [&](const std::string& text) {
    std::ofstream(other, std::ios::binary) << text;
    std::filesystem::rename(other, path);
  };
  const auto replaced = [&] {
    const auto files = mapped_code();
    const auto found = std::ranges::find(files, path, &LoadedFile::path);
    EXPECT_NE(found, files.end());
    return found != files.end() && found->replaced;
  };
  put(whole);
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  put(whole);
  EXPECT_FALSE(replaced());
  const auto mappings = [] {
    std::ostringstream maps;
    maps << std::ifstream("/proc/self/maps").rdbuf();
    return code_mappings(maps.str());
  }();
  const auto code = std::ranges::find(mappings, path, &CodeMapping::path);
  ASSERT_NE(code, mappings.end());
  std::string changed = whole;
  changed[code->offset + 8] ^= 1;
  put(changed);
  EXPECT_TRUE(replaced());
  put(whole.substr(0, code->offset));
  EXPECT_TRUE(replaced());
  std::filesystem::remove(path);
  EXPECT_TRUE(replaced());
  dlclose(library);
}

// The build id of a library as the linker has written it, of both kinds of readers.
TEST(ElfFile, TellsBuildIdAndNames) {
  const auto files = mapped_code();
  const auto libc = std::ranges::find_if(files, [](const LoadedFile& file) {
    return file.path.find("/libc.so") != std::string::npos;
  });
  ASSERT_NE(libc, files.end());
  const ElfFile elf = read_elf(libc->path);
  EXPECT_EQ(elf.soname, "libc.so.6");
  EXPECT_EQ(elf.build_id.size(), 40U);
  const ElfFile self = read_elf("/proc/self/exe");
  EXPECT_THAT(self.needed, Contains("libc.so.6"));
}

TEST(ElfFile, OfAnythingElseIsEmpty) {
  const std::string path = ::testing::TempDir() + "/assay_no_elf";
  const std::string whole = *read_file(plugin("naive"));
  const auto of = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return read_elf(path);
  };
  EXPECT_THAT(of(whole).needed, Not(testing::IsEmpty()));
  EXPECT_EQ(of("").build_id, "");
  EXPECT_EQ(of("#!/bin/sh\n").build_id, "");
  for (std::size_t length = 0; length < whole.size(); length += 97) { of(whole.substr(0, length)); }
  std::string damaged = whole;
  for (std::size_t at = 0; at < 2048; ++at) {
    damaged[at] = static_cast<char>(~damaged[at]);
    of(damaged);
    damaged[at] = whole[at];
  }
  std::filesystem::remove(path);
}

std::vector<std::string> names_loaded(Session& session) {
  const auto files = session.loaded_code();
  std::vector<std::string> names;
  if (files && *files) {
    for (const LoadedFile& file : **files) {
      names.push_back(std::filesystem::path(file.path).filename().string());
    }
  }
  return names;
}

TEST(WorkerSession, NamesWhatItsWorkerHasLoaded) {
  const auto session = worker_of("naive");
  EXPECT_THAT(names_loaded(*session),
              testing::AllOf(Contains("naive.so"), Contains("assay-worker")));
  EXPECT_FALSE(session->loaded_more());
  session->run(problem_of("pass=fwd k=8 n=4 rows=3"), {});
  EXPECT_FALSE(session->loaded_more());
}

TEST(WorkerSession, SeesALibraryThatACallLoads) {
  const auto session = worker_of("loads_a_library");
  EXPECT_THAT(names_loaded(*session), Not(Contains("naive.so")));
  session->run(problem_of("pass=fwd k=8 n=4 rows=3"), {});
  EXPECT_TRUE(session->loaded_more());
  EXPECT_THAT(names_loaded(*session), Contains("naive.so"));
  session->run(problem_of("pass=fwd k=8 n=4 rows=3"), {});
  EXPECT_FALSE(session->loaded_more());
}

TEST(WorkerSession, ADeadWorkerIsNotAskedAndItsSuccessorIs) {
  const auto session = worker_of("exits");
  session->run(problem_of("pass=fwd k=1 n=4 rows=3"), {});  // ends its process
  const auto files = session->loaded_code();
  ASSERT_TRUE(files);
  EXPECT_FALSE(*files);
  session->run(problem_of("pass=fwd k=8 n=4 rows=3"), {});
  EXPECT_TRUE(session->loaded_more());
  EXPECT_THAT(names_loaded(*session), Contains("exits.so"));
}

}  // namespace
}  // namespace assay
