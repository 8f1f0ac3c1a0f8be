// Runs a fuzz target over files and folders, under any compiler:
//   NAME_replay [--quiet] [--notes] FILE|FOLDER...
// --notes prints each file and what it reached, for fuzz/name_corpus.py.
// Exit: 0 all inputs were used, 2 there was nothing to replay, 3 some input was corrupt or
// unreadable (it is named, the others have run). A property that does not hold aborts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/note.h"
#include "fuzz/target.h"

namespace {

namespace fs = std::filesystem;

struct Counts {
  int used = 0;
  int corrupt = 0;
  int unreadable = 0;
};

void report(const std::string& path, const char* what) {
  std::fprintf(stderr, "%s: %s\n", path.c_str(), what);
}

// Files in the order of their names, hidden ones left out.
std::vector<std::string> files_below(const fs::path& folder, Counts& counts) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const bool hidden = entry->path().filename().string().starts_with('.');
    std::error_code ignored;
    if (hidden && entry->is_directory(ignored)) { entry.disable_recursion_pending(); }
    if (!hidden && !entry->is_directory(ignored)) { files.push_back(entry->path().string()); }
  }
  if (error) {
    report(folder.string(), error.message().c_str());
    ++counts.unreadable;
  }
  std::sort(files.begin(), files.end());
  return files;
}

// True when there were bytes to give to the target.
bool read_file(const std::string& path, std::vector<std::uint8_t>& bytes) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) { return false; }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) { return false; }
  bytes.assign(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  return !stream.bad();
}

void replay(const std::string& path, bool verbose, Counts& counts) {
  std::vector<std::uint8_t> bytes;
  if (!read_file(path, bytes)) {
    report(path, "cannot be read");
    ++counts.unreadable;
    return;
  }
  // A crash does not come back, so that the name is printed first.
  if (verbose) { std::fprintf(stderr, "%s\n", path.c_str()); }
  if (LLVMFuzzerTestOneInput(bytes.data(), bytes.size()) == 0) {
    ++counts.used;
    if (assay::wants_notes()) { std::printf("%s\t%s\n", path.c_str(), assay::last_note().c_str()); }
  } else {
    report(path, "is not an input of this target (corrupt, or cut off)");
    ++counts.corrupt;
  }
}

int run(int argc, char** argv) {
  Counts counts;
  bool verbose = true;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quiet") {
      verbose = false;
      continue;
    }
    if (argument == "--notes") {
      assay::want_notes();
      continue;
    }
    std::error_code error;
    const bool is_folder = fs::is_directory(argument, error);
    const auto files =
        is_folder ? files_below(argument, counts) : std::vector<std::string>{argument};
    for (const std::string& file : files) { replay(file, verbose, counts); }
  }
  const int incomplete = counts.corrupt + counts.unreadable;
  std::printf("%d replayed, %d corrupt, %d unreadable%s\n", counts.used, counts.corrupt,
              counts.unreadable, incomplete > 0 ? ": Incomplete" : "");
  if (incomplete > 0) { return 3; }
  if (counts.used > 0) { return 0; }
  std::fprintf(stderr, "nothing to replay; usage: %s [--quiet] [--notes] FILE|FOLDER...\n",
               argv[0]);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
