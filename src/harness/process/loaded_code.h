// LoadedFile: a file whose code a worker's process holds, as the worker tells its driver.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"

namespace assay {

struct LoadedFile {
  enum class Kind : std::uint8_t {
    kMapped,       // the process may execute bytes of it
    kHarness,      // Assay's own
    kInterpreter,  // that hosts the worker
    kModule,       // the interpreter has read it
    kPackage       // the same, as a part of `package`
  };
  Kind kind = Kind::kMapped;
  std::string package{};
  std::string version{};   // of the package or the interpreter
  bool replaced = false;   // by now its path is gone, or that of a file with other code
  std::string build_id{};  // of one that was replaced, as it lies in memory
  std::string path{};

  friend bool operator==(const LoadedFile&, const LoadedFile&) = default;
};

// One line a file, and back. Errors: the line; what kept a worker from naming its code.
std::string loaded_text(const std::vector<LoadedFile>& files);
Result<std::vector<LoadedFile>> parse_loaded(std::string_view text);
// A line that stands for all that a worker could not name.
std::string unnamed_text(const std::string& why);

// A piece of a file that is mapped for execution.
struct CodeMapping {
  std::uint64_t begin = 0, end = 0, inode = 0;
  std::uint64_t offset = 0;  // in the file, bytes
  std::string path{};
  bool deleted = false;  // the kernel marks it so; the mark is not in `path`
};
// Of the text of /proc/self/maps, in its order. What lies in no file (the stack, [vdso], code made
// at run time, memory of devices) is left out.
std::vector<CodeMapping> code_mappings(std::string_view maps);

// The files that are mapped for execution in this process, each once.
std::vector<LoadedFile> mapped_code();
// Becomes another number with each library that this process loads.
std::uint64_t libraries_loaded();

}  // namespace assay
