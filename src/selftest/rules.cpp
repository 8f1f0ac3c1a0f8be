#include "src/selftest/rules.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Larger cases repeat what smaller ones of the same class show.
constexpr Index kMostProducts = 4'000'000;

Index class_of_length(Index length) {
  Index most = 4;
  while (most < length) { most *= 4; }
  return most;
}

// The next number of the format in the middle element that is finite; false where there is none.
bool step_one_ulp(const Problem& problem, std::vector<std::byte>& output) {
  const Format format = problem.output().format;
  const Index size = size_bytes(format);
  const Index elements = static_cast<Index>(output.size()) / size;
  for (Index tried = 0; tried < elements; ++tried) {
    std::byte* element = output.data() + (elements / 2 + tried) % elements * size;
    const std::uint32_t bits = load_bits(format, element);
    const double value = decode(format, bits);
    if (!(std::abs(value) < traits(format).max_finite) || value == 0) { continue; }
    store_bits(format, element, bits + 1);
    return true;
  }
  return false;
}

void try_case(const CaseSpec& spec, const Manifest& manifest, RuleClass& rule) {
  const Problem problem = problem_for(spec, manifest);
  std::vector<std::byte> exact = exact_output(problem);
  const std::vector<std::byte> previous = previous_output(problem);
  const oracle::Judgement judgement =
      judge_output(problem, exact, manifest, {.previous = &previous});
  ++rule.cases;
  if (judgement.overflowing) {
    ++rule.overflowing;
    return;
  }
  bool differs = false;
  for (std::size_t answer = 0; answer < oracle::kTrivialCount; ++answer) {
    if (judgement.trivial_differs[answer] == 0) { continue; }
    differs = true;
    ++rule.tried[answer];
    if (judgement.trivial_accepted[answer]) { ++rule.accepted[answer]; }
  }
  if (!differs) { ++rule.no_answer_differs; }
  if (is_exact(spec.fill) && step_one_ulp(problem, exact)) {
    ++rule.ulp_tried;
    if (judge_output(problem, exact, manifest).wrong == 0) { ++rule.ulp_accepted; }
  }
}

}  // namespace

std::vector<RuleClass> test_rules(const Profile& profile, const Registry& names,
                                  const Manifest& manifest) {
  std::map<std::tuple<Fill, std::string, Format, Index>, RuleClass> classes;
  std::set<std::string> seen;
  for (const ProfileLine& line : profile.lines) {
    const Check& check = *names.check(line.check);
    if (check.not_applicable(manifest)) { continue; }
    for (Index index = 0; index < line.count; ++index) {
      const CaseSpec spec = case_of_line(profile, line, names, manifest, index);
      if (multiply_adds(spec) > kMostProducts || exclusion(manifest, spec)) { continue; }
      if (!seen.insert(canonical_text(spec)).second) { continue; }
      // Nothing to sum: +0 everywhere, or no owned element at all.
      if (multiply_adds(spec) == 0) { continue; }
      const Index length = class_of_length(longest_reduction(spec));
      RuleClass& rule = classes[{spec.fill, formats_text(spec.in, ' '), spec.out, length}];
      rule.fill = spec.fill;
      rule.in = formats_text(spec.in, ' ');
      rule.out = spec.out;
      rule.longest_reduction = length;
      try_case(spec, manifest, rule);
    }
  }
  std::vector<RuleClass> result;
  for (const auto& [key, rule] : classes) { result.push_back(rule); }
  return result;
}

bool rules_hold(const std::vector<RuleClass>& classes) {
  return !classes.empty() && std::ranges::all_of(classes, [](const RuleClass& rule) {
    const bool none_accepted =
        std::ranges::all_of(rule.accepted, [](Index count) { return count == 0; });
    // A class in which many cases have nothing to reject would prove little.
    return none_accepted && rule.ulp_accepted == 0 && 5 * rule.no_answer_differs <= rule.cases;
  });
}

std::string rules_table(const std::vector<RuleClass>& classes) {
  std::string text = fmt::format("{:<11} {:<14} {:>9} {:>6} {:>9}", "fill", "formats", "reduction",
                                 "cases", "no answer");
  for (int answer = 0; answer < oracle::kTrivialCount; ++answer) {
    text += fmt::format(" {:>13}", oracle::name(static_cast<oracle::Trivial>(answer)));
  }
  text += fmt::format(" {:>9}\n", "one ulp");
  Index cases = 0, none = 0;
  for (const RuleClass& rule : classes) {
    cases += rule.cases;
    none += rule.no_answer_differs;
    text += fmt::format("{:<11} {:<14} {:>9} {:>6} {:>9}", name(rule.fill),
                        fmt::format("{} -> {}", rule.in, name(rule.out)),
                        fmt::format("<= {}", rule.longest_reduction), rule.cases,
                        rule.no_answer_differs);
    for (std::size_t answer = 0; answer < oracle::kTrivialCount; ++answer) {
      const Index rejected = rule.tried[answer] - rule.accepted[answer];
      text += fmt::format(" {:>13}", fmt::format("{}/{}", rejected, rule.tried[answer]));
    }
    text += fmt::format(" {:>9}\n",
                        fmt::format("{}/{}", rule.ulp_tried - rule.ulp_accepted, rule.ulp_tried));
  }
  return text + fmt::format(
                    "{} cases in {} classes; in {} no trivial answer differs from the exact "
                    "result; rejected/tried for each answer\n",
                    cases, classes.size(), none);
}

}  // namespace assay
