#include "src/campaign/code_list.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "src/core/text.h"

namespace assay {
namespace {

template <class Item>
std::vector<Item> merged(const std::vector<Item>& a, const std::vector<Item>& b) {
  std::vector<Item> all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

using FileName = std::pair<CodeRow::Kind, std::string>;

std::map<FileName, std::set<CodeRow>> by_name(const CodeList& code) {
  std::map<FileName, std::set<CodeRow>> rows;
  for (const CodeRow& row : code.rows) {
    if (row.kind != CodeRow::Kind::kSystem) { rows[{row.kind, row.name}].insert(row); }
  }
  return rows;
}

// Cases may load different parts of one package.
bool may_be_one(const CodeRow& a, const CodeRow& b) {
  return a == b || (a.version == b.version && a.files != b.files);
}

// Whether each of the fewer files is one of the others.
bool agree(const std::set<CodeRow>& a, const std::set<CodeRow>& b) {
  const auto& [fewer, more] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
  const std::set<CodeRow>& others = more;
  return std::ranges::all_of(fewer, [&](const CodeRow& row) {
    return std::ranges::any_of(others,
                               [&](const CodeRow& other) { return may_be_one(row, other); });
  });
}

std::string plural(Index count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

const std::vector<std::string_view>& code_kinds() {
  static const std::vector<std::string_view> kWords = {
      "artifact", "module", "library", "interpreter", "package", "harness", "system"};
  return kWords;
}

CodeList joined(const CodeList& a, const CodeList& b) {
  return {merged(a.rows, b.rows), merged(a.not_asked, b.not_asked)};
}

std::optional<std::string> contradiction(const CodeList& a, const CodeList& b) {
  const auto others = by_name(b);
  for (const auto& [name, rows] : by_name(a)) {
    const auto found = others.find(name);
    if (found == others.end() || agree(rows, found->second)) { continue; }
    const CodeRow& one = *rows.begin();
    const CodeRow& other = *found->second.begin();
    const auto digest = [](const CodeRow& row) {
      return row.sha256.empty() ? row.build_id : row.sha256;
    };
    if (one.version != other.version) {
      return fmt::format("versions of {} '{}' and '{}'", quote(name.second), one.version,
                         other.version);
    }
    return fmt::format("digests of {} '{}' and '{}'", quote(name.second), digest(one),
                       digest(other));
  }
  return std::nullopt;
}

std::string code_sentence(const CodeList& code) {
  if (code.rows.empty() && code.not_asked.empty()) { return "not recorded"; }
  Index files = 0, packages = 0, in_packages = 0, system = 0;
  for (const CodeRow& row : code.rows) {
    const bool package = row.kind == CodeRow::Kind::kPackage;
    packages += package;
    in_packages += package ? row.files : 0;
    system += row.kind == CodeRow::Kind::kSystem;
    files += row.kind != CodeRow::Kind::kSystem && !package ? row.files : 0;
  }
  std::string text = plural(files, "file by SHA-256", "files by SHA-256");
  if (packages > 0) {
    text += fmt::format(", {} ({})", plural(packages, "package", "packages"),
                        plural(in_packages, "file", "files"));
  }
  text += fmt::format(", {} of the system by build id", system);
  for (const std::string& gap : code.not_asked) { text += "; " + gap; }
  return text;
}

}  // namespace assay
