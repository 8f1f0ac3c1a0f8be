// Rules that look at more than one file: what nobody uses, and letters that nothing explains.
#include <algorithm>
#include <cctype>

#include "tests/tidy/rules.h"

namespace assay::tidy {
namespace {

std::string_view without_ending(std::string_view path) { return path.substr(0, path.rfind('.')); }

bool includes(const SourceFile& file, std::string_view target) {
  const std::string line = "#include \"" + std::string(target) + "\"";
  return std::ranges::any_of(file.lines, [&](std::string_view text) { return text == line; });
}

bool is_kind(std::string_view word) { return word.size() == 1 && std::isupper(word[0]) != 0; }

// The letters of `(kinds G, H)` or `(kind G)` that begins at `at`.
std::vector<std::string> letters_at(std::string_view line, std::size_t at) {
  std::vector<std::string> letters;
  const std::size_t end = std::min(line.find_first_of(")\"", at), line.size());
  for (std::size_t i = at; i < end; ++i) {
    const bool alone = line[i - 1] == ' ' && (i + 1 == end || line[i + 1] == ',');
    if (alone && is_kind(line.substr(i, 1))) { letters.emplace_back(1, line[i]); }
  }
  return letters;
}

}  // namespace

Complaints unused_header(const SourceFile& file, std::span<const SourceFile> tree) {
  if (!file.is_header() || file.path.starts_with("tests/")) { return {}; }
  const bool used = std::ranges::any_of(tree, [&](const SourceFile& other) {
    const bool own_source = without_ending(other.path) == without_ending(file.path);
    return !own_source && !other.path.starts_with("tests/") && includes(other, file.path);
  });
  if (used) { return {}; }
  return {{file.path, 1, "nothing but its own source and tests includes it: delete it"}};
}

std::vector<std::string> kinds_of(std::string_view page) {
  std::vector<std::string> kinds;
  for (std::size_t at = page.find("\n| "); at != std::string_view::npos;
       at = page.find("\n| ", at + 1)) {
    const std::string_view word = page.substr(at + 3, page.find(" |", at + 3) - at - 3);
    if (is_kind(word) || word == "legal") { kinds.emplace_back(word); }
  }
  return kinds;
}

Complaints unknown_kinds(const SourceFile& file, std::span<const std::string> kinds) {
  Complaints complaints;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view line = file.lines[i];
    for (const std::string_view start : {"(kind ", "(kinds "}) {
      const std::size_t at = line.find(start);
      if (at == std::string_view::npos) { continue; }
      for (const std::string& letter : letters_at(line, at + start.size())) {
        if (std::ranges::count(kinds, letter) == 0) {
          complaints.push_back({file.path, i + 1, "no such kind in KINDS.md: " + letter});
        }
      }
    }
  }
  return complaints;
}

}  // namespace assay::tidy
