#include "src/selftest/kill_matrix.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/campaign/pattern.h"

namespace assay {
namespace {

std::vector<std::string> checks_of(const Profile& profile) {
  std::vector<std::string> checks;
  for (const ProfileLine& line : profile.lines) {
    if (std::ranges::find(checks, line.check) == checks.end()) { checks.push_back(line.check); }
  }
  return checks;
}

KillRow row_of(const std::string& defect, const ProfileRun& run,
               const std::vector<std::string>& checks) {
  KillRow row{.defect = defect, .killed_by = std::vector<bool>(checks.size(), false)};
  if (!run.failures.empty()) {
    const Failure& first = run.failures.front();
    const auto aspect = headline(first.verdict.failed);
    row.first_check = first.check->name;
    row.first_aspect = aspect ? name(*aspect) : name(first.verdict.kind);
  }
  for (const Failure& failure : run.failures) {
    const auto found = std::ranges::find(checks, failure.check->name);
    if (found != checks.end()) { row.killed_by[found - checks.begin()] = true; }
  }
  return row;
}

}  // namespace

Result<KillMatrix> make_kill_matrix(const std::vector<Defect>& defects, const Profile& profile,
                                    const Registry& names,
                                    const std::function<OpenSession(const std::string&)>& open,
                                    const SelftestOptions& options) {
  KillMatrix matrix{.checks = checks_of(profile), .rows = {}};
  CertifyOptions certify_options = options.certify;
  certify_options.explain = false;
  certify_options.run.stop_at_first_finding = false;
  const auto filter = Pattern::parse("--filter", options.filter);
  ASSAY_TRY(filter);
  for (const Defect& defect : defects) {
    if (defect.legal || !filter->is_found_in(defect.name)) { continue; }
    if (certify_options.run.stop && certify_options.run.stop->load()) { break; }
    const auto certification =
        certify(defect.plugin, profile, names, open(defect.plugin), certify_options);
    if (!certification) { return make_error(defect.name + ": " + certification.error().message); }
    matrix.rows.push_back(row_of(defect.name, certification->run, matrix.checks));
  }
  return matrix;
}

std::string kill_matrix_table(const KillMatrix& matrix) {
  std::string text = fmt::format("{:<46} catches  caught by it alone\n", "check");
  std::vector<Index> alone(matrix.checks.size(), 0);
  for (const KillRow& row : matrix.rows) {
    if (std::ranges::count(row.killed_by, true) != 1) { continue; }
    const auto only = std::ranges::find(row.killed_by, true) - row.killed_by.begin();
    ++alone[only];
  }
  for (std::size_t check = 0; check < matrix.checks.size(); ++check) {
    const auto catches = std::ranges::count_if(
        matrix.rows, [check](const KillRow& row) { return row.killed_by[check]; });
    text += fmt::format("{:>2} {:<43} {:>7}  {:>7}\n", check + 1, matrix.checks[check], catches,
                        alone[check]);
  }
  text += fmt::format("\n{:<46} ", "defect");
  for (std::size_t check = 1; check <= matrix.checks.size(); ++check) {
    text += fmt::format("{}", check % 10);
  }
  text += "  checks  first caught\n";
  Index caught = 0;
  for (const KillRow& row : matrix.rows) {
    text += fmt::format("{:<46} ", row.defect);
    for (const bool killed : row.killed_by) { text += killed ? 'x' : '.'; }
    const auto kills = std::ranges::count(row.killed_by, true);
    if (kills > 0) { ++caught; }
    text += fmt::format("  {:>6}", kills);
    text += kills > 0 ? fmt::format("  {} by {}\n", row.first_aspect, row.first_check) : "\n";
  }
  return text + fmt::format("{} defects, {} caught\n", matrix.rows.size(), caught);
}

}  // namespace assay
