// Writes the digests of the built-in kernels' sources as C++. The files are those that the sources
// include, directly or not, by quoted names: what a compiler's dependency list names, and the
// branches of conditionals that it skipped.
//
// assay-digest OUT DEPFILE ROOT [NAME FLAGS FILE[,FILE...]]..., FLAGS `-` where nothing compiles it
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "src/core/digest.h"
#include "src/core/file.h"
#include "src/digest/strip_source.h"

namespace assay {
namespace {

struct Kernel {
  std::string name, flags;
  std::set<std::string> files;  // relative to the root
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) { parts.push_back(part); }
  return parts;
}

// The source without comments, and the repository's files that it includes.
Status follow(const std::string& root, const std::string& file,
              std::map<std::string, std::string>& read) {
  if (read.contains(file)) { return {}; }
  const auto text = read_file(root + "/" + file);
  ASSAY_TRY(text);
  read[file] = strip_source(*text);
  for (const std::string& include : quoted_includes(*text)) {
    if (std::ifstream(root + "/" + include).good()) {
      if (auto status = follow(root, include, read); !status) { return status; }
    }
  }
  return {};
}

Status write(const std::string& out, const std::string& depfile, const std::string& root,
             const std::vector<std::string>& words) {
  std::string rows, all;
  std::set<std::string> depends;
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    std::map<std::string, std::string> read;
    for (const std::string& file : split(words[i + 2])) {
      if (auto status = follow(root, file, read); !status) { return status; }
    }
    std::string content, files;
    for (const auto& [file, text] : read) {
      content += file + "\n" + text + "\n";
      files += file + "\\n";
      depends.insert(root + "/" + file);
    }
    // A kernel that this build leaves out has sources, but no compiler.
    const std::string whole = words[i + 1] == "-" ? "" : sha256_hex(words[i + 1] + "\n" + content);
    rows += "    {\"" + words[i] + "\",\n     \"" + whole + "\",\n     \"" + sha256_hex(content) +
            "\",\n     \"" + files + "\"},\n";
  }
  std::ofstream(out) << "#include \"src/campaign/artifact.h\"\n\nnamespace assay {\n\n"
                        "std::span<const SourceDigest> source_digests() {\n"
                        "  static constexpr SourceDigest kDigests[] = {\n"
                     << rows << "  };\n  return kDigests;\n}\n\n}  // namespace assay\n";
  std::ofstream list(depfile);
  list << in_depfile(out) << ":";
  for (const std::string& file : depends) { list << " \\\n  " << in_depfile(file); }
  list << "\n";
  return list.good() ? Status{} : make_error("cannot write '" + depfile + "'");
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3 || (words.size() - 3) % 3 != 0) {
    std::fprintf(stderr, "usage: assay-digest OUT DEPFILE ROOT [NAME FLAGS FILES]...\n");
    return 2;
  }
  const auto status = assay::write(words[0], words[1], words[2], {words.begin() + 3, words.end()});
  if (status) { return 0; }
  std::fprintf(stderr, "assay-digest: %s\n", status.error().message.c_str());
  return 2;
}
