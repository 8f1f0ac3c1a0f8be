#include "src/cli/help/check_page.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/campaign/profile.h"

namespace assay {
namespace {

// The generators of a profile that a check gets, with their counts.
std::string cases_in(std::string_view check, const std::string& profile_name) {
  if (check == kOwnCasesCheck) { return "those that are given; none in the profiles of Assay"; }
  const auto profile = load_profile(profile_name, every_name());
  if (!profile) { return ""; }
  Index count = 0;
  std::string generators;
  for (const ProfileLine& line : profile->lines) {
    if (line.check != check) { continue; }
    count += line.count;
    if (generators.find(line.generator) == std::string::npos) {
      generators += (generators.empty() ? "" : ", ") + line.generator;
    }
  }
  if (count == 0) { return fmt::format("none in profile {}", profile_name); }
  return fmt::format("{} in profile {} ({})", count, profile_name, generators);
}

std::string wrapped(std::string_view text, std::size_t width = 76) {
  std::string out = "  ", word;
  std::size_t column = 2;
  const auto flush = [&] {
    if (column + word.size() > width && column > 2) {
      out += "\n  ";
      column = 2;
    } else if (column > 2) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' && !word.empty()) {
      flush();
    } else if (c != ' ') {
      word += c;
    }
  }
  if (!word.empty()) { flush(); }
  return out + "\n";
}

std::string_view heading_of_advice(const Check& check) {
  return check.measures ? "What the figure says" : "When it fails";
}

// A check that judges its cases as any case is judged: it is in the choice of cases.
std::string_view family_of(const Check& check) {
  return check.run == judge_case_whole ? "A family of cases, each judged in every respect. " : "";
}

}  // namespace

std::string check_page(const Check& check) {
  return fmt::format("{}\n\nIt tests\n{}\nIt is for\n{}\nCases\n{}\n{}\n{}\nAgain\n{}", check.name,
                     wrapped(fmt::format("{}{}", family_of(check), check.summary)),
                     wrapped(check.guards_against), wrapped(cases_in(check.name, "ci")),
                     heading_of_advice(check), wrapped(check.advice),
                     wrapped(fmt::format("assay run CASE --kernel KERNEL --check {}", check.name)));
}

std::string check_page_markdown(const Check& check) {
  return fmt::format("## {}\n\n{}{}\n\n**It is for** {}.\n\n**Cases:** {}.\n\n**{}:** {}\n",
                     check.name, family_of(check), check.summary, check.guards_against,
                     cases_in(check.name, "ci"), heading_of_advice(check), check.advice);
}

}  // namespace assay
