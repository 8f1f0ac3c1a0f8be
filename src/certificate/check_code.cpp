#include "src/certificate/check_code.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/campaign/code_ledger.h"
#include "src/core/digest.h"
#include "src/core/text.h"
#include "src/harness/process/elf_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kQuotedDigits = 12;  // of a digest
constexpr std::size_t kMostNamed = 8;      // in one note

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

bool exists(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool may_be_compared(const CodeRow& row) { return row.is_one_file() && !row.sha256.empty(); }

// The rows of files that are meant by a name.
std::vector<const CodeRow*> rows_named(const CodeList& code, const std::string& name) {
  std::vector<const CodeRow*> rows;
  for (const CodeRow& row : code.rows) {
    if (may_be_compared(row) && (row.name == name || file_name(row.name) == name)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

// Where the loader looks for the libraries of the artifact.
std::vector<std::string> loader_folders(const ElfFile& elf, const std::string& origin) {
  std::vector<std::string> folders = elf.folders;
  for (std::string& folder : folders) {
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
      if (const std::size_t at = folder.find(word); at != std::string::npos) {
        folder.replace(at, word.size(), origin);
      }
    }
  }
  return folders;
}

std::optional<std::string> found_in(const std::vector<std::string>& folders,
                                    const std::string& name) {
  for (const std::string& folder : folders) {
    if (std::string path = folder + "/" + name; exists(path)) { return path; }
  }
  return std::nullopt;
}

std::string listed(const std::vector<std::string>& words) {
  std::vector<std::string> shown(
      words.begin(),
      words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kMostNamed)));
  if (words.size() > kMostNamed) {
    shown.push_back(fmt::format("{} more", words.size() - kMostNamed));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

// Where a distribution puts its libraries.
std::vector<std::string> system_folders() {
  std::vector<std::string> folders;
  for (const char* const base : {"/usr/lib", "/usr/lib64", "/lib", "/lib64"}) {
    folders.emplace_back(base);
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(base, error)) {
      if (entry.path().filename().string().find("-linux-gnu") != std::string::npos) {
        folders.push_back(entry.path().string());
      }
    }
  }
  return folders;
}

void note_system(const CodeList& code, std::vector<std::string>& notes) {
  std::vector<std::string> other;
  const std::vector<std::string> folders = system_folders();
  for (const CodeRow& row : code.rows) {
    if (row.kind != CodeRow::Kind::kSystem || row.build_id.empty()) { continue; }
    const auto here = found_in(folders, row.name);
    if (here && read_elf(*here).build_id != row.build_id) { other.push_back(one_line(row.name)); }
  }
  if (!other.empty()) {
    notes.push_back(fmt::format("this system has another build of {}", listed(other)));
  }
}

// The rows that a file's name means; a library's may be a link to the file that was loaded.
std::vector<const CodeRow*> rows_of_file(const CodeList& code, const std::string& path) {
  std::error_code error;
  auto rows = rows_named(code, file_name(fs::canonical(path, error).string()));
  return rows.empty() ? rows_named(code, file_name(path)) : rows;
}

class Comparison {
 public:
  explicit Comparison(const CodeList& code) : code_(code) {}

  // Each: why the certificate is not of these files; empty where it is.
  Result<std::string> named(const std::vector<std::string>& files);
  Result<std::string> found_by(const std::string& artifact);
  void note_rest(std::vector<std::string>& notes) const;

 private:
  Result<std::string> compare(const std::string& path, const std::vector<const CodeRow*>& rows);

  const CodeList& code_;
  std::set<std::string> compared_;  // names
};

Result<std::string> Comparison::compare(const std::string& path,
                                        const std::vector<const CodeRow*>& rows) {
  const auto digest = sha256_of_file(path);
  ASSAY_TRY(digest);
  if (rows.empty()) {
    return fmt::format("no file called {} is among the code that was tested",
                       quote(file_name(path)));
  }
  for (const CodeRow* row : rows) { compared_.insert(row->name); }
  if (std::ranges::any_of(rows, [&](const CodeRow* row) { return row->sha256 == *digest; })) {
    return std::string();
  }
  return fmt::format("{} has the SHA-256 {}, the {} that was tested {}", quote(path), *digest,
                     quote(rows.front()->name), rows.front()->sha256);
}

Result<std::string> Comparison::named(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (auto wrong = compare(file, rows_of_file(code_, file)); !wrong || !wrong->empty()) {
      return wrong;
    }
  }
  return std::string();
}

Result<std::string> Comparison::found_by(const std::string& artifact) {
  if (artifact.empty()) { return std::string(); }
  std::error_code error;
  const std::string origin = fs::absolute(artifact, error).parent_path().string();
  const ElfFile elf = read_elf(artifact);
  std::vector<std::string> folders = loader_folders(elf, origin);
  for (const std::string& library : elf.needed) {
    const auto here = found_in(folders, library);
    if (!here || is_of_the_system(fs::canonical(*here, error).string())) { continue; }
    if (auto wrong = compare(*here, rows_of_file(code_, *here)); !wrong || !wrong->empty()) {
      return wrong;
    }
  }
  folders.push_back(origin);
  for (const CodeRow& row : code_.rows) {
    if (!may_be_compared(row) || row.kind == CodeRow::Kind::kArtifact) { continue; }
    const auto here = compared_.contains(row.name) ? std::nullopt : found_in(folders, row.name);
    if (!here) { continue; }
    if (auto wrong = compare(*here, rows_named(code_, row.name)); !wrong || !wrong->empty()) {
      return wrong;
    }
  }
  return std::string();
}

void Comparison::note_rest(std::vector<std::string>& notes) const {
  std::vector<std::string> files, packages;
  for (const CodeRow& row : code_.rows) {
    if (row.kind == CodeRow::Kind::kPackage) {
      packages.push_back(one_line(row.version.empty() ? row.name : row.name + " " + row.version));
    }
    if (may_be_compared(row) && row.kind != CodeRow::Kind::kArtifact &&
        !compared_.contains(row.name)) {
      files.push_back(fmt::format("{} (sha256 {}...)", one_line(row.name),
                                  row.sha256.substr(0, kQuotedDigits)));
    }
  }
  // A kernel's own files before those of installed packages.
  std::stable_partition(files.begin(), files.end(), [](const std::string& name) {
    return name.find('/') == std::string::npos;
  });
  if (!files.empty()) {
    notes.push_back("also rests on " + listed(files) + ": --depends compares them");
  }
  if (!packages.empty()) { notes.push_back("also rests on the packages " + listed(packages)); }
  for (const std::string& gap : code_.not_asked) {
    notes.push_back("not all code that ran is named: " + one_line(gap));
  }
}

}  // namespace

Result<std::string> check_code(const CodeList& code, const std::string& artifact,
                               const std::vector<std::string>& depends,
                               std::vector<std::string>& notes) {
  Comparison comparison(code);
  auto wrong = comparison.named(depends);
  if (wrong && wrong->empty()) { wrong = comparison.found_by(artifact); }
  comparison.note_rest(notes);
  note_system(code, notes);
  return wrong;
}

}  // namespace assay
