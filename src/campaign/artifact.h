// Artifact: what a verdict is about, by its digest: a plug-in's file, or the sources of a built-in
// kernel.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/core/error.h"

namespace assay {

struct Artifact {
  std::string name{};  // of the file or of the built-in kernel
  bool is_file = true;
  std::string sha256{};
  friend bool operator==(const Artifact&, const Artifact&) = default;
};

// Sources of a built-in kernel: every file of the repository that its compilation reads, comments
// and blanks stripped. Written by the build (cmake/AssayDigests.cmake).
struct SourceDigest {
  std::string_view kernel;
  std::string_view sha256;   // of sources, compiler and flags; "": this build has not the kernel
  std::string_view sources;  // of the sources alone
  std::string_view files;    // one a line
};
std::span<const SourceDigest> source_digests();

// The file that a kernel's name holds; empty for a built-in kernel.
std::string artifact_file(const std::string& kernel);

// One that files beside it may be called after: no path, and no end of a text within it.
bool is_artifact_name(std::string_view name);

// Of a kernel as the command line names it: `cpu`, `./lib.so`, `py:kernel.py`,
// `tvmffi:lib.so:function`. Errors: the path and the system's reason; a built-in kernel without a
// digest.
Result<Artifact> artifact_of(const std::string& kernel);

}  // namespace assay
