// The project's own files as text: what git knows, or what a folder walk finds where there is no
// git.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::tidy {

struct SourceFile {
  std::string path;                // from the repository's root, with '/'
  std::vector<std::string> lines;  // as written
  std::vector<std::string> code;   // comments, and the insides of strings, blanked out

  bool is_header() const;
  bool is_device() const;  // .cu, .cuh
  bool is_code() const;    // any C, C++ or CUDA file
};

SourceFile make_file(std::string path, std::string_view text);
std::vector<SourceFile> read_tree(const std::string& root);

}  // namespace assay::tidy
