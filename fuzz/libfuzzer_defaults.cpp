// What every libFuzzer build of a target starts with: the flags of fuzz_<subject>.options, its
// dictionary, and an exit code of 1 for a crash, since libFuzzer's own (77) means "skipped" to some
// test runners. Words on the command line come later and win.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/core/text.h"

namespace {

namespace fs = std::filesystem;

// `key = value` lines of the section [libfuzzer], as OSS-Fuzz reads them, as flags.
void append_options(const fs::path& file, std::vector<std::string>& flags) {
  std::ifstream stream(file);
  bool ours = false;
  for (std::string line; std::getline(stream, line);) {
    const std::string_view text = assay::trim(line);
    if (text.starts_with('[')) { ours = text == "[libfuzzer]"; }
    const std::size_t equals = text.find('=');
    if (!ours || equals == std::string_view::npos || text.starts_with('#')) { continue; }
    flags.push_back("-" + std::string(assay::trim(text.substr(0, equals))) + "=" +
                    std::string(assay::trim(text.substr(equals + 1))));
  }
}

// Beside the executable (an installed fuzzer), else in the source tree.
fs::path find_beside(const fs::path& executable, const std::string& name) {
  std::error_code error;
  const fs::path beside = executable.parent_path() / name;
  return fs::exists(beside, error) ? beside : fs::path(ASSAY_FUZZ_FOLDER) / name;
}

}  // namespace

// Short stacks of allocations and a small quarantine: a fifth of the speed was spent on them. A
// plug-in holds the kernel's sources a second time, hence no check for one definition.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=4:quarantine_size_mb=16:detect_odr_violation=0";
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static std::vector<std::string> words;
  static std::vector<char*> pointers;
  const fs::path executable = (*argv)[0];
  const std::string subject = executable.filename().string();
  words = {(*argv)[0], "-error_exitcode=1"};
  append_options(find_beside(executable, subject + ".options"), words);
  const fs::path dictionary = find_beside(executable, subject + ".dict");
  std::error_code error;
  if (fs::exists(dictionary, error)) { words.push_back("-dict=" + dictionary.string()); }
  words.insert(words.end(), *argv + 1, *argv + *argc);
  for (std::string& word : words) { pointers.push_back(word.data()); }
  pointers.push_back(nullptr);
  *argc = static_cast<int>(words.size());
  *argv = pointers.data();
  return 0;
}
