#include "src/campaign/join_findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "src/core/counted.h"

namespace assay {

std::string without_numbers(const std::string& reason) {
  std::string text;
  for (const char c : reason) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !text.ends_with('#')) { text += digit ? '#' : c; }
  }
  return text;
}

namespace {

// Some checks say before it, and a colon, which of their calls it was.
bool same_reason(const std::string& a, const std::string& b) {
  const std::string left = without_numbers(a), right = without_numbers(b);
  return left == right || left.ends_with(": " + right) || right.ends_with(": " + left);
}

// How it comes back says nothing about what it is.
bool names_no_mistake(const std::string& hypothesis) {
  return hypothesis.empty() || hypothesis == "earlier_calls" || hypothesis == "sporadic";
}

bool same_cause(const Finding& a, const Finding& b) {
  const auto aspect = headline(a.verdict.failed), other = headline(b.verdict.failed);
  if (a.diagnosis.hypothesis != b.diagnosis.hypothesis) { return false; }
  // One mistake shows in elements as wrong, unwritten or other ones, as a check happens to look.
  if (!names_no_mistake(a.diagnosis.hypothesis) && aspect && other && is_of_elements(*aspect) &&
      is_of_elements(*other)) {
    return true;
  }
  // Crashed on the way or after it, it is the same thing that is wrong; where it is not known, as
  // in old records, the kind of end is all there is.
  const bool alike = aspect == other && (aspect || a.verdict.kind == b.verdict.kind);
  if (!alike || !a.diagnosis.hypothesis.empty()) { return alike; }
  if (a.shrunk == b.shrunk || !aspect) { return aspect.has_value(); }
  // How many elements are wrong is a reason that many mistakes share.
  return aspect != Aspect::kValues && same_reason(a.verdict.reason, b.verdict.reason);
}

auto size_of(const Finding& finding) {
  const CaseSpec& spec = finding.shrunk;
  // A case without rows shows little, where there is another.
  return std::tuple(total_rows(spec) == 0, finding.before.size(), spec.experts(), total_rows(spec),
                    multiply_adds(spec), spec.k * spec.n);
}

void add_checks(Finding& to, const std::vector<const Check*>& checks) {
  for (const Check* check : checks) {
    if (std::ranges::find(to.checks, check) == to.checks.end()) { to.checks.push_back(check); }
  }
}

}  // namespace

std::vector<Finding> join_findings(std::vector<Finding> findings) {
  std::vector<Finding> joined;
  for (Finding& finding : findings) {
    const auto known = std::ranges::find_if(
        joined, [&](const Finding& other) { return same_cause(other, finding); });
    if (known == joined.end()) {
      joined.push_back(std::move(finding));
      continue;
    }
    if (size_of(finding) < size_of(*known)) { std::swap(finding, *known); }
    add_checks(*known, finding.checks);
  }
  return joined;
}

std::string wrong_text(const Finding& finding) {
  const auto aspect = headline(finding.verdict.failed);
  if (!aspect) { return std::string(finding.check->name); }
  return fmt::format("{} ({})", what_is_wrong(*aspect), name(*aspect));
}

std::string checks_text(const Finding& finding) {
  std::string text(finding.check->name), others;
  Index count = 0;
  for (const Check* check : finding.checks) {
    if (check == finding.check) { continue; }
    others += fmt::format("{}{}", count++ == 0 ? "" : ", ", check->name);
  }
  if (count == 0) { return text; }
  return text + fmt::format(" and {}: {}", counted(count, "other check"), others);
}

}  // namespace assay
