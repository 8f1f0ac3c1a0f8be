// The rules of the code itself that no compiler checks: arrows between folders, order of includes,
// lengths, banned spellings. What they forbid is data, in the tables of rules.cpp.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace assay::tidy {

struct Complaint {
  std::string path;
  std::size_t line = 0;  // from 1
  std::string text;
};
using Complaints = std::vector<Complaint>;
std::ostream& operator<<(std::ostream& stream, const Complaint& complaint);

Complaints arrows(const SourceFile& file);
Complaints lengths(const SourceFile& file);
Complaints function_lengths(const SourceFile& file);
Complaints banned_spellings(const SourceFile& file);
Complaints nameless_todos(const SourceFile& file);
Complaints header_openings(const SourceFile& file);

// A quoted include is a repository path, so that it names one file from everywhere.
Complaints dangling_includes(const SourceFile& file, std::span<const SourceFile> tree);

// The .cpp beside a header includes it before anything else: that is what proves that the header
// compiles alone, the build checks the others.
Complaints own_header_first(const SourceFile& file, std::span<const SourceFile> tree);

// A header that nothing but its own source and tests includes guards dead code.
Complaints unused_header(const SourceFile& file, std::span<const SourceFile> tree);

// The letters that tests/defects/KINDS.md explains; and those in a file that it does not.
std::vector<std::string> kinds_of(std::string_view page);
Complaints unknown_kinds(const SourceFile& file, std::span<const std::string> kinds);

struct Banned {
  std::string_view spelling;
  enum class Where { kCode, kHeaders, kDevice, kText } where;  // kText: comments and scripts too
  std::string_view allowed_in;                                 // path prefixes, blanks between
  std::string_view instead;
};
std::span<const Banned> banned_table();

struct Arrow {
  std::string_view folder;
  std::vector<std::string_view> may_include;  // besides itself
};
std::span<const Arrow> arrow_table();

}  // namespace assay::tidy
