#include "tests/tidy/source_tree.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace assay::tidy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCodeEndings[] = {".h", ".c", ".cpp", ".cu", ".cuh"};
constexpr std::string_view kOtherEndings[] = {".cmake", ".in", ".json", ".md",
                                              ".py",    ".sh", ".txt"};
constexpr std::string_view kNamesWithoutEnding[] = {"run", ".clang-format", ".clang-tidy",
                                                    ".gitignore"};
// Recorded or generated data, and patches, whose lines are those of the files they change.
constexpr std::string_view kDataFolders[] = {"corpus/", "tests/defects/"};

template <class Endings>
bool ends_with_any(std::string_view path, const Endings& endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return path.ends_with(ending); });
}

bool is_wanted(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (ends_with_any(path, kCodeEndings) || name.ends_with(".md")) { return true; }
  if (std::ranges::any_of(kDataFolders, [&](auto folder) { return path.starts_with(folder); })) {
    return false;
  }
  return path != "LICENSE" &&
         (ends_with_any(path, kOtherEndings) ||
          std::ranges::find(kNamesWithoutEnding, name) != std::end(kNamesWithoutEnding));
}

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) { quoted += c == '\'' ? std::string("'\\''") : std::string(1, c); }
  return quoted + "'";
}

// Tracked files and new ones that are not ignored; nothing when git cannot tell.
std::vector<std::string> paths_from_git(const std::string& root) {
  const std::string command = "git -C " + shell_quoted(root) +
                              " ls-files -z --cached --others --exclude-standard 2>/dev/null";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) { return {}; }
  std::vector<std::string> paths(1);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c == '\0') {
      paths.emplace_back();
    } else {
      paths.back() += static_cast<char>(c);
    }
  }
  paths.pop_back();
  if (::pclose(pipe) != 0) { paths.clear(); }
  return paths;
}

std::vector<std::string> paths_from_walk(const std::string& root) {
  std::vector<std::string> paths;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && (name == "build" || name == ".git" || name == ".cache")) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      paths.push_back(fs::relative(entry->path(), root).generic_string());
    }
  }
  return paths;
}

// Walks one file's text; keeps lines and columns, so that a place found in `code` is one in
// `lines`.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text) {}

  std::string blanked() {
    while (at_ < text_.size()) {
      if (looking_at("//")) {
        blank_until("\n", 0);
      } else if (looking_at("/*")) {
        blank_until("*/", 2);
      } else if (looking_at("R\"")) {
        const std::size_t open = text_.find('(', at_);
        blank_until(")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"", 1);
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !is_digit_separator())) {
        blank_literal();
      } else {
        out_ += text_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  bool looking_at(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  bool is_digit_separator() const {
    return at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0;
  }
  void blank_until(std::string_view end, std::size_t end_size) {
    const std::size_t found = text_.find(end, at_ + 2);
    const std::size_t stop = found == std::string_view::npos ? text_.size() : found + end_size;
    for (; at_ < stop; ++at_) { out_ += text_[at_] == '\n' ? '\n' : ' '; }
  }
  // An include keeps its path; any other literal keeps its quotes only.
  void blank_literal() {
    const std::size_t line = out_.rfind('\n') + 1;
    const bool is_include = out_.compare(line, 8, "#include") == 0;
    const char quote = text_[at_];
    out_ += text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      const std::size_t step = text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
      for (std::size_t i = 0; i < step; ++i, ++at_) {
        out_ += is_include || text_[at_] == '\n' ? text_[at_] : ' ';
      }
    }
    if (at_ < text_.size()) { out_ += text_[at_++]; }
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
};

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

bool SourceFile::is_header() const { return path.ends_with(".h") || path.ends_with(".cuh"); }
bool SourceFile::is_device() const { return path.ends_with(".cu") || path.ends_with(".cuh"); }
bool SourceFile::is_code() const { return ends_with_any(path, kCodeEndings); }

SourceFile make_file(std::string path, std::string_view text) {
  SourceFile file{.path = std::move(path), .lines = split_lines(text), .code = {}};
  file.code = file.is_code() ? split_lines(Blanker(text).blanked()) : file.lines;
  return file;
}

std::vector<SourceFile> read_tree(const std::string& root) {
  std::vector<std::string> paths = paths_from_git(root);
  if (paths.empty()) { paths = paths_from_walk(root); }
  std::ranges::sort(paths);
  std::vector<SourceFile> files;
  for (const std::string& path : paths) {
    if (!is_wanted(path)) { continue; }
    std::ifstream stream(fs::path(root) / path, std::ios::binary);
    if (!stream) {
      continue;  // deleted, but still in git's index
    }
    std::ostringstream text;
    text << stream.rdbuf();
    files.push_back(make_file(path, text.str()));
  }
  return files;
}

}  // namespace assay::tidy
