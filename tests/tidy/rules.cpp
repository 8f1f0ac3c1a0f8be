#include "tests/tidy/rules.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace assay::tidy {
namespace {

constexpr std::size_t kLineColumns = 100;
constexpr std::size_t kFileLines = 400;
constexpr std::size_t kFunctionLines = 60;
constexpr std::size_t kKernelLines = 150;

// The files that spell what the rules forbid.
constexpr std::string_view kOwnFolder = "tests/tidy/";
// Plain C: #pragma once is not C99.
constexpr std::string_view kGuardedHeaders[] = {"src/contract/assay/abi.h"};

const Arrow kArrows[] = {
    {"src/core", {}},
    {"src/problem", {"src/core"}},
    {"src/import", {"src/problem"}},
    {"oracle", {"src/core"}},
    {"src/contract", {"src/problem"}},
    {"src/kernels", {"src/contract"}},
    // As a stranger writes them, on the installed header.
    {"src/examples", {"assay"}},
    {"src/peers", {"assay", "cutlass"}},
    {"src/harness", {"src/kernels", "oracle"}},
    {"properties", {"src/harness"}},
    {"src/diagnosis", {"properties"}},
    {"src/probe", {"properties"}},
    {"src/campaign", {"src/diagnosis", "src/probe"}},
    {"src/record", {"src/campaign"}},
    {"src/report", {"src/record"}},
    {"src/certificate", {"src/report"}},
    {"src/selftest", {"src/campaign"}},
    {"src/search", {"src/campaign"}},
    {"src/digest", {"src/core"}},
    {"src/bench", {"src/harness"}},
    {"src/cli", {"src/certificate", "src/selftest", "src/search", "src/bench", "src/import"}},
    {"fuzz", {"properties", "src/search", "src/import"}},
    {"tests", {"src/cli", "src/digest", "fuzz"}},
    // A stranger's project, which sees the installed headers only.
    {"tests/consumer", {"src/problem", "oracle", "assay"}},
};

using enum Banned::Where;
constexpr std::string_view kJudged = "an exact comparison, or the oracle's judgement";
constexpr std::string_view kSeeded = "a pure function of the printed seed";
constexpr std::string_view kSubset = "what g++ 12, clang 14 and nvcc 13.0 all take";
constexpr std::string_view kRelative =
    "a path relative to the repository, or one that is passed in";
constexpr Banned kBanned[] = {
    {"EXPECT_NEAR", kCode, "", kJudged},
    {"ASSERT_NEAR", kCode, "", kJudged},
    {"EXPECT_FLOAT_EQ", kCode, "", kJudged},
    {"ASSERT_FLOAT_EQ", kCode, "", kJudged},
    {"EXPECT_DOUBLE_EQ", kCode, "", kJudged},
    {"ASSERT_DOUBLE_EQ", kCode, "", kJudged},
    {"if (error >", kCode, "", "accept form, if (!(error <= bound)), so that NaN fails"},
    {"rand(", kCode, "", kSeeded},
    {"srand(", kCode, "", kSeeded},
    // But for the fingerprint's secret, drawn after the kernel has returned.
    {"random_device", kCode, "src/cli/ properties/support/", kSeeded},
    {"uniform_int_distribution", kCode, "tests/", kSeeded},
    {"uniform_real_distribution", kCode, "tests/", kSeeded},
    {"normal_distribution", kCode, "tests/", kSeeded},
    {"fast_math", kText, "", "IEEE arithmetic"},
    {"-ffast-math", kText, "", "IEEE arithmetic"},
    {"-Ofast", kText, "", "-O3"},
    {"using namespace", kHeaders, "", "the full name"},
    {"std::format", kCode, "", "fmt::format, in a .cpp"},
    {"std::expected", kCode, "", "Result of src/core/error.h"},
    {"std::source_location", kCode, "", kSubset},
    {"std::views", kCode, "", kSubset},
    {"throw", kCode, "tests/", "Result of src/core/error.h"},
    {"assert(", kCode, "", "ASSAY_REQUIRE, which is always on"},
    {"exit(", kCode, "src/cli/ src/harness/worker fuzz/ tests/", "an Error to the caller"},
    {"abort(", kCode, "src/core/require.cpp src/harness/worker fuzz/ tests/", "ASSAY_REQUIRE"},
    {"printf(", kDevice, "tests/", "a status word that the host reads"},
    {"#if 0", kCode, "", "nothing: git remembers"},
    {"if (0", kCode, "", "nothing: git remembers"},
    {"if (false", kCode, "", "nothing: git remembers"},
    {"SKIP_RETURN_CODE", kText, "", "no return code that reads as skipped"},
    {"FIXME", kText, "", "TODO(name)"},
    {"XXX", kText, "", "TODO(name)"},
    {"/work/", kText, "", kRelative},
    {"/home/", kText, "", kRelative},
    {"/root/", kText, "", kRelative},
    {"deb.debian.org", kText, "", "the machine's own package sources"},
    {"pypi.org", kText, "", "the machine's own package sources"},
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The first place where a spelling stands as whole words.
std::size_t find_words(std::string_view line, std::string_view spelling) {
  for (std::size_t at = line.find(spelling); at != std::string_view::npos;
       at = line.find(spelling, at + 1)) {
    const std::size_t end = at + spelling.size();
    const bool begins = at == 0 || !is_word(spelling.front()) || !is_word(line[at - 1]);
    const bool ends = end == line.size() || !is_word(spelling.back()) || !is_word(line[end]);
    if (begins && ends) { return at; }
  }
  return std::string_view::npos;
}

bool starts_with_any(std::string_view path, std::string_view prefixes) {
  while (!prefixes.empty()) {
    const std::size_t end = std::min(prefixes.find(' '), prefixes.size());
    if (path.starts_with(prefixes.substr(0, end))) { return true; }
    prefixes.remove_prefix(std::min(end + 1, prefixes.size()));
  }
  return false;
}

bool concerns(const Banned& banned, const SourceFile& file) {
  if (file.path.starts_with(kOwnFolder) || starts_with_any(file.path, banned.allowed_in)) {
    return false;
  }
  switch (banned.where) {
    case kCode:
      return file.is_code();
    case kHeaders:
      return file.is_header();
    case kDevice:
      return file.is_device();
    case kText:
      return true;
  }
  return false;
}

struct Include {
  std::size_t line = 0;  // from 0
  std::string target;
  bool quoted = false;
};

std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> includes;
  if (!file.is_code()) { return includes; }
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string_view line = file.code[i];
    if (!line.starts_with("#include ") || line.size() < 11) { continue; }
    const bool quoted = line[9] == '"';
    const std::size_t end = line.find(quoted ? '"' : '>', 10);
    if (end == std::string_view::npos) { continue; }
    includes.push_back({i, std::string(line.substr(10, end - 10)), quoted});
  }
  return includes;
}

// The longest folder of the table that holds a path.
const Arrow* arrow_of(std::string_view path) {
  const Arrow* best = nullptr;
  for (const Arrow& arrow : kArrows) {
    if (path.starts_with(arrow.folder) && path.substr(arrow.folder.size()).starts_with('/') &&
        (best == nullptr || arrow.folder.size() > best->folder.size())) {
      best = &arrow;
    }
  }
  return best;
}

const Arrow* row_of(std::string_view folder) {
  const auto row = std::ranges::find(kArrows, folder, &Arrow::folder);
  return row == std::end(kArrows) ? nullptr : &*row;
}

// Directly, or by way of what it may include.
bool reaches(const Arrow& from, std::string_view folder) {
  return std::ranges::any_of(from.may_include, [&](std::string_view next) {
    const Arrow* const row = row_of(next);
    return next == folder || (row != nullptr && reaches(*row, folder));
  });
}

std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Whether the statement that opens at a line is a function's definition. Inside a function
// (indented), control flow and lambdas open blocks too.
bool opens_function(const SourceFile& file, std::size_t first) {
  constexpr std::string_view kOthers[] = {"namespace", "struct", "class",  "enum",  "union",
                                          "extern",    "if",     "for",    "while", "switch",
                                          "do",        "else",   "return", "case",  "try"};
  std::string head;
  for (std::size_t i = first; i < file.code.size(); ++i) {
    const std::string_view line = file.code[i];
    head += line.substr(0, line.find('{'));
    if (line.find('{') != std::string_view::npos) { break; }
  }
  const std::size_t indent = indentation(head);
  head.erase(0, indent);
  for (const std::string_view other : kOthers) {
    if (find_words(head.substr(0, other.size() + 1), other) == 0) { return false; }
  }
  const bool lambda = head.find("[&") != std::string::npos ||
                      head.find("[=") != std::string::npos ||
                      head.find("= [") != std::string::npos || head.find("[]") != std::string::npos;
  return head.find('(') != std::string::npos && (indent == 0 || !lambda);
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Complaint& complaint) {
  return stream << complaint.path << ':' << complaint.line << ": " << complaint.text;
}

std::span<const Banned> banned_table() { return kBanned; }
std::span<const Arrow> arrow_table() { return kArrows; }

Complaints arrows(const SourceFile& file) {
  Complaints complaints;
  const Arrow* const from = arrow_of(file.path);
  if (from == nullptr) {
    if (file.is_code()) { complaints.push_back({file.path, 1, "no row in the table of arrows"}); }
    return complaints;
  }
  for (const Include& include : includes_of(file)) {
    if (!include.quoted) { continue; }
    const Arrow* const to = arrow_of(include.target);
    const std::string_view folder =
        to != nullptr ? to->folder
                      : std::string_view(include.target).substr(0, include.target.find('/'));
    if (folder == from->folder || reaches(*from, folder)) { continue; }
    complaints.push_back({file.path, include.line + 1,
                          std::string(from->folder) + " may not include " + include.target});
  }
  return complaints;
}

Complaints lengths(const SourceFile& file) {
  Complaints complaints;
  constexpr std::string_view kFree[] = {".md", ".json", ".clang-format", ".clang-tidy"};
  if (std::ranges::any_of(kFree, [&](auto end) { return file.path.ends_with(end); })) {
    return complaints;
  }
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (columns(file.lines[i]) <= kLineColumns) { continue; }
    complaints.push_back({file.path, i + 1, "more than 100 columns"});
  }
  if (file.lines.size() > kFileLines) {
    complaints.push_back({file.path, kFileLines + 1, "more than 400 lines: split the file"});
  }
  return complaints;
}

Complaints function_lengths(const SourceFile& file) {
  Complaints complaints;
  if (!file.is_code()) { return complaints; }
  for (const std::size_t indent : {0U, 2U}) {
    std::size_t first = file.code.size();
    for (std::size_t i = 0; i < file.code.size(); ++i) {
      const std::string_view line = file.code[i];
      if (line.empty() || indentation(line) != indent || line.size() == indent) { continue; }
      const std::string_view text = line.substr(indent);
      if (text.starts_with('}')) {
        const bool device =
            first < i && find_words(file.code[first], "__global__") != std::string_view::npos;
        const std::size_t limit = device ? kKernelLines : kFunctionLines;
        if (first < i && i + 1 - first > limit && opens_function(file, first)) {
          complaints.push_back({file.path, first + 1,
                                "a function of " + std::to_string(i + 1 - first) +
                                    " lines, more than " + std::to_string(limit)});
        }
        first = file.code.size();
      } else if (!text.starts_with('#') && !text.starts_with("template")) {
        first = i;
      }
    }
  }
  return complaints;
}

Complaints banned_spellings(const SourceFile& file) {
  Complaints complaints;
  for (const Banned& banned : kBanned) {
    if (!concerns(banned, file)) { continue; }
    const auto& lines = banned.where == kText ? file.lines : file.code;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (find_words(lines[i], banned.spelling) == std::string_view::npos) { continue; }
      complaints.push_back(
          {file.path, i + 1,
           std::string(banned.spelling) + " is banned, use " + std::string(banned.instead)});
    }
  }
  return complaints;
}

Complaints nameless_todos(const SourceFile& file) {
  Complaints complaints;
  if (file.path.starts_with(kOwnFolder)) { return complaints; }
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::size_t at = find_words(file.lines[i], "TODO");
    if (at == std::string_view::npos || file.lines[i].substr(at).starts_with("TODO(")) { continue; }
    complaints.push_back({file.path, i + 1, "TODO without a name, use TODO(name)"});
  }
  return complaints;
}

Complaints header_openings(const SourceFile& file) {
  Complaints complaints;
  if (!file.is_header()) { return complaints; }
  const std::string_view opening = file.lines.empty() ? std::string_view() : file.lines.front();
  const bool comment = opening.starts_with("// ") || opening.starts_with("/* ");
  std::size_t end = 0;
  bool sentence = false;
  for (; end < file.code.size() && indentation(file.code[end]) == file.code[end].size(); ++end) {
    sentence = sentence || file.lines[end].find('.') != std::string::npos;
  }
  if (!comment || !sentence) {
    complaints.push_back({file.path, 1, "a header opens with a sentence that says what it is"});
  }
  const bool guarded = std::ranges::count(kGuardedHeaders, file.path) != 0;
  if (!guarded && (end == file.code.size() || file.code[end] != "#pragma once")) {
    complaints.push_back({file.path, end + 1, "#pragma once comes first"});
  }
  return complaints;
}

Complaints dangling_includes(const SourceFile& file, std::span<const SourceFile> tree) {
  Complaints complaints;
  if (starts_with_any(file.path, "tests/consumer/ src/examples/ src/peers/")) { return complaints; }
  for (const Include& include : includes_of(file)) {
    if (!include.quoted || std::ranges::count(tree, include.target, &SourceFile::path) != 0) {
      continue;
    }
    complaints.push_back({file.path, include.line + 1,
                          "not a file of this repository, by its path: " + include.target});
  }
  return complaints;
}

Complaints own_header_first(const SourceFile& file, std::span<const SourceFile> tree) {
  if (!file.path.ends_with(".cpp")) { return {}; }
  const std::string header = file.path.substr(0, file.path.size() - 3) + "h";
  if (std::ranges::count(tree, header, &SourceFile::path) == 0) { return {}; }
  const std::vector<Include> includes = includes_of(file);
  if (!includes.empty() && includes.front().target == header) { return {}; }
  return {{file.path, 1, "the first include is not its own header: " + header}};
}

}  // namespace assay::tidy
