// CodeList: the files of code that a run's workers have loaded, as record and certificate name
// them.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "src/core/index.h"

namespace assay {

struct CodeRow {
  enum class Kind : std::uint8_t {
    kArtifact,     // the kernel's own file
    kModule,       // one file that an interpreter has read
    kLibrary,      // one file, mapped for execution
    kInterpreter,  // of a hosted worker
    kPackage,      // the files of an interpreter's package, together
    kHarness,      // Assay's own
    kSystem        // the distribution's, by its build id where it has one
  };
  Kind kind = Kind::kLibrary;
  std::string name{};      // below the kernel's folder the path from there; a soname
  std::string version{};   // of a package or an interpreter
  std::string sha256{};    // of several files: of the digests of all, sorted, one a line
  std::string build_id{};  // instead of a digest
  Index files = 1;

  // Whether one file of that name and digest is meant.
  bool is_one_file() const {
    return kind == Kind::kArtifact || kind == Kind::kModule || kind == Kind::kLibrary ||
           kind == Kind::kInterpreter;
  }
  friend auto operator<=>(const CodeRow&, const CodeRow&) = default;
};
// artifact, module, library, interpreter, package, harness, system
const std::vector<std::string_view>& code_kinds();

struct CodeList {
  std::vector<CodeRow> rows{};           // sorted, each once; two files of one name are two rows
  std::vector<std::string> not_asked{};  // whose code is not among them, or may not be

  friend bool operator==(const CodeList&, const CodeList&) = default;
};

// Both together.
CodeList joined(const CodeList& a, const CodeList& b);
// The first file that is another one in b, in words; code of the system may differ.
std::optional<std::string> contradiction(const CodeList& a, const CodeList& b);

// As `2 files by SHA-256, 1 package (98 files), 7 of the system by build id`.
std::string code_sentence(const CodeList& code);

}  // namespace assay
