#include "src/certificate/diff.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/certificate/envelope.h"
#include "src/core/file.h"
#include "src/core/json_text.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/record/record_lines.h"

namespace assay {
namespace {

bool fails(const std::string& status) { return CertifiedCheck{.status = status}.fails(); }
// Or was judged right on the way to a figure.
bool passes(const std::string& status) {
  return status == "PASSED" || status == "WAIVED" || status == "MEASURED";
}

std::string field_text(const Json& manifest, const std::string& field) {
  return manifest.contains(field) ? json_text(manifest[field]) : "left out";
}

std::string own_cases_text(const Certificate& certificate) {
  if (!certificate.own_cases) { return "none"; }
  return fmt::format("{}, SHA-256 {}", certificate.own_cases->cases, certificate.own_cases->sha256);
}

void compare_identity(const Certificate& a, const Certificate& b, Difference& difference) {
  const auto compare = [&](std::string_view what, const std::string& before,
                           const std::string& after) {
    if (before != after) {
      difference.identity.push_back(fmt::format("{}: {} | {}", one_line(what),
                                                one_line(before, kNameLength),
                                                one_line(after, kNameLength)));
    }
  };
  compare("artifact", a.artifact.name, b.artifact.name);
  compare("SHA-256", a.artifact.sha256, b.artifact.sha256);
  compare("profile", a.profile_name, b.profile_name);
  compare("profile's SHA-256", a.profile_sha256, b.profile_sha256);
  compare("own cases", own_cases_text(a), own_cases_text(b));
  for (const auto* manifest : {&a.manifest, &b.manifest}) {
    for (const auto& [field, value] : manifest->items()) {
      if (manifest == &b.manifest && a.manifest.contains(field)) { continue; }
      compare("manifest, " + field, field_text(a.manifest, field), field_text(b.manifest, field));
    }
  }
  compare("harness", a.harness.version, b.harness.version);
  compare("GPU", a.environment.gpu, b.environment.gpu);
  compare("driver", a.environment.driver, b.environment.driver);
  if (const auto code = contradiction(a.code, b.code)) {
    difference.identity.push_back("code that ran: " + *code);
  }
}

void compare_figures(const Certificate& a, const Certificate& b, Difference& difference) {
  for (const CertifiedCheck& before : a.checks) {
    const auto after = std::ranges::find(b.checks, before.name, &CertifiedCheck::name);
    if (after == b.checks.end() || !before.measured || !after->measured) { continue; }
    if (before.measured->cases == 0 || after->measured->cases == 0) { continue; }
    difference.measured.push_back(
        fmt::format("{}: median {} -> {}, worst {} -> {} {}", name_text(before.name),
                    figure_text(before.measured->median), figure_text(after->measured->median),
                    figure_text(before.measured->worst), figure_text(after->measured->worst),
                    one_line(after->measured->unit, kNameLength)));
  }
}

void sort_out(const CheckChange& change, Difference& difference) {
  if (fails(change.after) && !fails(change.before)) {
    difference.broken.push_back(change);
  } else if (fails(change.before) && passes(change.after)) {
    difference.fixed.push_back(change);
  } else if ((passes(change.before) && !passes(change.after)) || change.after.empty()) {
    difference.lost.push_back(change);
  } else if (passes(change.after) && !passes(change.before)) {
    difference.gained.push_back(change);
  } else if (!(change.ratio_after <= change.ratio_before) ||
             change.cases_after < change.cases_before) {
    difference.worse.push_back(change);
  } else if (change.ratio_after < change.ratio_before || change.cases_after > change.cases_before) {
    difference.better.push_back(change);
  } else {
    ++difference.same;
  }
}

// A case as it may be pasted; what is none is quoted.
std::string readable_case(const std::string& line) {
  const auto spec = parse_case(line);
  return spec ? short_text(*spec) : quote(line);
}

std::string status_text(const std::string& status) { return status.empty() ? "missing" : status; }

void print(std::string& text, std::string_view title, const std::vector<CheckChange>& changes) {
  if (changes.empty()) { return; }
  text += fmt::format("{}\n", title);
  for (const CheckChange& change : changes) {
    text += fmt::format("  {}: ", name_text(change.check));
    if (change.before != change.after) {
      text += fmt::format("{} -> {}, ", status_text(change.before), status_text(change.after));
    }
    text += fmt::format("{} -> {} cases, error/bound {:.3g} -> {:.3g}\n", change.cases_before,
                        change.cases_after, change.ratio_before, change.ratio_after);
    if (!(change.ratio_after <= change.ratio_before)) {
      text += fmt::format("    {}\n", readable_case(change.case_after));
    }
  }
}

}  // namespace

Difference difference_of(const Certificate& before, const Certificate& after) {
  Difference difference;
  compare_identity(before, after, difference);
  std::vector<CheckChange> changes;
  for (const CertifiedCheck& check : before.checks) {
    changes.push_back({.check = check.name,
                       .before = check.status,
                       .cases_before = check.cases,
                       .ratio_before = check.worst_ratio});
  }
  for (const CertifiedCheck& check : after.checks) {
    auto same = std::find_if(changes.begin(), changes.end(),
                             [&](const CheckChange& change) { return change.check == check.name; });
    if (same == changes.end()) { same = changes.insert(changes.end(), {.check = check.name}); }
    same->after = check.status;
    same->cases_after = check.cases;
    same->ratio_after = check.worst_ratio;
    same->case_after = check.worst_case;
  }
  for (const CheckChange& change : changes) { sort_out(change, difference); }
  compare_figures(before, after, difference);
  return difference;
}

std::string difference_text(const Difference& difference) {
  std::string text;
  for (const std::string& line : difference.identity) { text += line + "\n"; }
  print(text, "new: fails now", difference.broken);
  print(text, "fixed", difference.fixed);
  print(text, "lost: passed, is not judged now", difference.lost);
  print(text, "gained: was not judged, passes", difference.gained);
  print(text, "worse", difference.worse);
  print(text, "better", difference.better);
  if (!difference.measured.empty()) { text += "measured\n"; }
  for (const std::string& line : difference.measured) { text += "  " + line + "\n"; }
  return text +
         fmt::format("{} new, {} fixed, {} lost, {} gained, {} worse, {} better, {} the same\n",
                     difference.broken.size(), difference.fixed.size(), difference.lost.size(),
                     difference.gained.size(), difference.worse.size(), difference.better.size(),
                     difference.same);
}

Result<Certificate> load_comparable(const std::string& path, const Registry& names) {
  const auto file = run_file(path);
  ASSAY_TRY(file);
  const auto text = read_file(*file);
  ASSAY_TRY(text);
  if (!text->starts_with("{\"assayRun\"")) {
    auto certificate = parse_certificate(*text, *file);
    ASSAY_TRY(certificate);
    return std::move(certificate->certificate);
  }
  const auto record = parse_run(*text, *file, names);
  ASSAY_TRY(record);
  const auto certification = certification_of(*record, names);
  if (!certification) { return make_error(*file + ": " + certification.error().message); }
  return certificate_of(*record, *certification);
}

}  // namespace assay
