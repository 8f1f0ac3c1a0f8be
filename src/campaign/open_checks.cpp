#include "src/campaign/open_checks.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

namespace assay {
namespace {

struct OpenGroup {
  std::string what;  // with the number of cases left out as `{}`
  std::string key;
  std::vector<std::string_view> checks{};
  Index cases = 0;
};

// Without numbers that stand alone: 21.3 of "21.3 GB", not 16 of "bf16".
std::string without_figures(std::string_view text) {
  std::string kept;
  bool in_word = false, in_figure = false;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    in_figure = !in_word && (digit || (in_figure && c == '.'));
    in_word = !in_figure && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
    if (!in_figure) { kept += c; }
  }
  return kept;
}

constexpr std::string_view kCases = "{cases}";

// What a check lacks, with kCases for a number of cases; nothing where it lacks nothing.
std::optional<std::string> lack_of(const CheckTally& check) {
  if (check.check->measures) {
    return std::nullopt;  // nothing rests on its figures
  }
  const bool open =
      check.verdict == VerdictKind::kNotRun || check.verdict == VerdictKind::kInconclusive;
  const Index lost = check.kinds[static_cast<std::size_t>(VerdictKind::kNotRun)];
  if (!open && lost == 0) { return std::nullopt; }
  if (!open) { return fmt::format("{} cases could not be run: {}", kCases, check.not_judged); }
  if (check.cases > 0 || check.not_judged.empty()) { return check.reason; }
  return fmt::format("none of {} cases was judged: {}", kCases, check.not_judged);
}

Index cases_of(const CheckTally& check) {
  const Index lost = check.kinds[static_cast<std::size_t>(VerdictKind::kNotRun)];
  Index all = 0;
  for (const Index count : check.kinds) { all += count; }
  return check.cases == 0 ? all : lost;
}

std::string names_of(const OpenGroup& group) {
  constexpr std::size_t kShown = 3;
  if (group.checks.size() == 1) { return std::string(group.checks.front()); }
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, group.checks.size()); ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", group.checks[i]);
  }
  if (group.checks.size() > kShown) {
    names += fmt::format(" and {} more", group.checks.size() - kShown);
  }
  return fmt::format("{} checks ({})", group.checks.size(), names);
}

std::string line_of(const OpenGroup& group) {
  std::string what = group.what;
  if (const std::size_t at = what.find(kCases); at != std::string::npos) {
    what.replace(at, kCases.size(), fmt::format("{}", group.cases));
  }
  return fmt::format("{}: {}", names_of(group), what);
}

}  // namespace

std::vector<std::string> why_open(const std::vector<CheckTally>& checks) {
  std::vector<OpenGroup> groups;
  for (const CheckTally& check : checks) {
    const auto lack = lack_of(check);
    if (!lack) { continue; }
    const std::string key = without_figures(*lack);
    auto group = std::ranges::find(groups, key, &OpenGroup::key);
    if (group == groups.end()) { group = groups.insert(groups.end(), {.what = *lack, .key = key}); }
    group->checks.push_back(check.check->name);
    group->cases += cases_of(check);
  }
  std::vector<std::string> lines;
  for (const OpenGroup& group : groups) { lines.push_back(line_of(group)); }
  return lines;
}

}  // namespace assay
